import numpy as np
import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _dequant(w_ptr, scale_ptr, out_ptr, rows, cols, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    offs = r[:, None] * cols + c[None, :]
    mask = (r[:, None] < rows) & (c[None, :] < cols)
    w = tl.load(w_ptr + offs, mask=mask, other=0).to(tl.float32)
    s = tl.load(scale_ptr + r, mask=r < rows, other=0.0)
    tl.store(out_ptr + offs, w * s[:, None], mask=mask)


class Int8Linear(nn.Module):
    def __init__(self, weight, scales, bias):
        super().__init__()
        self.weight, self.scales, self.bias = weight, scales, bias

    @classmethod
    def from_arrays(cls, arrays, prefix, device):
        weight = torch.from_numpy(arrays[f"{prefix}.q"]).to(device)
        scales = torch.from_numpy(arrays[f"{prefix}.scale"])
        bias = torch.from_numpy(arrays[f"{prefix}.bias"]).to(device)
        return cls(weight, scales, bias)

    def dequantized(self):
        rows, cols = self.weight.shape
        out = torch.empty(rows, cols, device=self.weight.device, dtype=torch.float32)
        grid = (triton.cdiv(rows, 32), triton.cdiv(cols, 64))
        _dequant[grid](self.weight, self.scales, out, rows, cols, BLOCK_R=32, BLOCK_C=64)
        return out

    def forward(self, x):
        return nn.functional.linear(x, self.dequantized(), self.bias)


def quantize_rows(w):
    scale = np.abs(w).max(axis=1) / 127.0
    q = np.clip(np.round(w / scale[:, None]), -127, 127).astype(np.int8)
    return q, scale.astype(np.float32)
