import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _add_layernorm(x_ptr, r_ptr, w_ptr, b_ptr, y_ptr, sum_ptr, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    s = x + r
    tl.store(sum_ptr + row * stride + cols, s, mask=mask)
    mean = tl.sum(s, axis=0) / n
    d = tl.where(mask, s - mean, 0.0)
    var = tl.sum(d * d, axis=0) / n
    rstd = 1.0 / tl.sqrt(var + eps)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * stride + cols, d * rstd * w + b, mask=mask)


class AddLayerNorm(nn.Module):
    """Returns (normalised, x + residual) in one pass. Inference only."""

    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.dim, self.eps = dim, eps
        self.block = max(128, dim)
        self.num_warps = 4 if self.block <= 1024 else 8

    def forward(self, x, residual):
        shape = x.shape
        x, residual = x.reshape(-1, self.dim), residual.reshape(-1, self.dim)
        y, s = torch.empty_like(x), torch.empty_like(x)
        _add_layernorm[(x.shape[0],)](
            x, residual, self.weight, self.bias, y, s,
            x.stride(0), self.dim, self.eps, BLOCK=self.block, num_warps=self.num_warps,
        )
        return y.view(shape), s.view(shape)
