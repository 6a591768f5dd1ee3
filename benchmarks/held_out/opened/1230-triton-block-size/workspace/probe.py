import argparse

import torch
import torch.nn.functional as F
from torch import nn

from fused_ln import AddLayerNorm


class Block(nn.Module):
    def __init__(self, dim, fused):
        super().__init__()
        self.fused = fused
        self.mix = nn.Linear(dim, dim)
        self.ln = AddLayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        if self.fused:
            h, s = self.ln(self.mix(x), x)
        else:
            s = self.mix(x) + x
            h = F.layer_norm(s, s.shape[-1:], self.ln.weight, self.ln.bias, self.ln.eps)
        return s + self.mlp(h)


@torch.inference_mode()
def main():
    p = argparse.ArgumentParser()
    p.add_argument("--dim", type=int, default=512)
    p.add_argument("--tokens", type=int, default=2048)
    p.add_argument("--depth", type=int, default=3)
    args = p.parse_args()
    torch.manual_seed(0)
    layers = nn.Sequential(*(Block(args.dim, fused=True) for _ in range(args.depth))).cuda().eval()
    x = torch.randn(2, args.tokens // 2, args.dim, device="cuda")
    fused = layers(x)
    for b in layers:
        b.fused = False
    plain = layers(x)
    diff = (fused - plain).abs().max().item()
    print(f"dim {args.dim}: largest difference {diff:.2e}")
    if diff > 1e-2:
        raise SystemExit("fused and plain outputs differ")


if __name__ == "__main__":
    main()
