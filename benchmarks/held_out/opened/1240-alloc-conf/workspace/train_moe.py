import argparse

import torch
import torch.nn.functional as F

from moe import MoEClassifier


def piecewise(n, device):
    """Four regions of the plane with different linear rules."""
    x = torch.randn(n, 8, device=device)
    region = (x[:, 0] > 0).long() * 2 + (x[:, 1] > 0).long()
    rules = torch.tensor([[1.0, 2, 0], [-1, 0, 2], [0, 1, -2], [2, -1, 1]], device=device)
    score = (x[:, 2:5] * rules[region]).sum(1)
    return x, torch.bucketize(score, torch.tensor([-1.0, 1.0], device=device))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--experts", type=int, default=4)
    ap.add_argument("--top-k", type=int, default=1)
    ap.add_argument("--steps", type=int, default=200)
    args = ap.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda")
    model = MoEClassifier(8, 3, experts=args.experts, top_k=args.top_k).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(args.steps):
        x, y = piecewise(512, device)
        logits, balance = model(x)
        loss = F.cross_entropy(logits, y) + 0.01 * balance
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 20 == 0:
            acc = (logits.argmax(1) == y).float().mean().item()
            print(f"step {step} loss {loss.item():.4f} acc {acc:.3f}")


if __name__ == "__main__":
    main()
