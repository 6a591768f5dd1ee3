import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

BACKENDS = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
    "math": SDPBackend.MATH,
}


class RotaryAttention(nn.Module):
    def __init__(self, heads, head_dim, backend):
        super().__init__()
        dim = heads * head_dim
        self.heads, self.backend = heads, BACKENDS[backend]
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim, bias=False)
        inv = 1.0 / 10000 ** (torch.arange(0, head_dim, 2) / head_dim)
        self.register_buffer("inv_freq", inv, persistent=False)

    def rotate(self, x):
        t = torch.arange(x.size(-2), device=x.device)
        ang = torch.outer(t.float(), self.inv_freq.float())
        cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)

    def forward(self, x):
        q, k, v = rearrange(self.qkv(x), "b t (three h d) -> three b h t d", three=3, h=self.heads)
        q, k = self.rotate(q), self.rotate(k)
        with sdpa_kernel(self.backend):
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(rearrange(y, "b h t d -> b t (h d)"))
