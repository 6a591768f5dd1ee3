"""Post-training conversion of linear layers to float8 (e4m3) with per-tensor scales."""
import torch
from torch import nn

E4M3 = torch.float8_e4m3fn
E4M3_MAX = torch.finfo(E4M3).max


def quantize(t):
    amax = t.abs().max().float().clamp(min=1e-6)
    scale = amax / E4M3_MAX
    q = (t.float() / scale).clamp(-E4M3_MAX, E4M3_MAX).to(E4M3)
    return q, scale


class Fp8Linear(nn.Module):
    def __init__(self, linear):
        super().__init__()
        w, s = quantize(linear.weight.detach())
        self.register_buffer("weight", w)
        self.register_buffer("scale", s)
        self.bias = nn.Parameter(linear.bias.detach(), requires_grad=False)

    def forward(self, x):
        lead = x.shape[:-1]
        xq, xs = quantize(x.reshape(-1, x.shape[-1]))
        y = torch._scaled_mm(xq, self.weight.t(), scale_a=xs, scale_b=self.scale, out_dtype=torch.bfloat16)
        return (y + self.bias).reshape(*lead, -1)


def convert(module, skip=(), prefix=""):
    for name, child in list(module.named_children()):
        full = f"{prefix}{name}"
        if isinstance(child, nn.Linear) and full not in skip:
            setattr(module, name, Fp8Linear(child))
        else:
            convert(child, skip, full + ".")
    return module
