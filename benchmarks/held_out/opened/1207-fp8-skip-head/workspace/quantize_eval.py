import copy

import torch
import torch.nn.functional as F
from torch import nn

from fp8 import Fp8Linear, convert

KEEP_BF16 = {"embed", "classifier"}


class Mixer(nn.Module):
    def __init__(self, tokens, dim, hidden):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.token = nn.Sequential(nn.Linear(tokens, hidden), nn.GELU(), nn.Linear(hidden, tokens))
        self.channel = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))

    def forward(self, x):
        x = x + self.token(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channel(self.norm2(x))


class MLPMixer(nn.Module):
    def __init__(self, classes=10, tokens=64, patch_dim=48, dim=256, depth=4):
        super().__init__()
        self.embed = nn.Linear(patch_dim, dim)
        self.blocks = nn.ModuleList(Mixer(tokens, dim, 512) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.embed(x)
        for b in self.blocks:
            x = b(x)
        return self.head(x.mean(1))


@torch.no_grad()
def compare(a, b, batches):
    agree, err = [], []
    for x in batches:
        ya, yb = a(x), b(x)
        agree.append((ya.argmax(-1) == yb.argmax(-1)).float().mean())
        err.append(F.mse_loss(yb.float(), ya.float()))
    return torch.stack(agree).mean().item(), torch.stack(err).mean().item()


def main():
    torch.manual_seed(0)
    model = MLPMixer().to("cuda", torch.bfloat16).eval()
    quantized = convert(copy.deepcopy(model), skip=KEEP_BF16)
    n = sum(isinstance(m, Fp8Linear) for m in quantized.modules())
    print(f"{n} linear layers in fp8")
    batches = [torch.randn(32, 64, 48, device="cuda", dtype=torch.bfloat16) for _ in range(8)]
    agreement, mse = compare(model, quantized, batches)
    print(f"agreement {agreement:.2%}  mse {mse:.5f}")


if __name__ == "__main__":
    main()
