"""Two adapters on one frozen network, each for its own task, then a weighted mixture of both."""
import argparse

import torch
import torch.nn.functional as F
from peft import LoraConfig, get_peft_model
from torch import nn


class Backbone(nn.Module):
    def __init__(self, inputs=8, width=32, classes=3):
        super().__init__()
        self.embed = nn.Linear(inputs, width)
        self.mix = nn.Linear(width, width)
        self.conv = nn.Conv1d(1, 2, kernel_size=3, padding=1)
        self.score = nn.Linear(2 * width, classes)

    def forward(self, x):
        hidden = torch.relu(self.embed(x))
        hidden = hidden + torch.relu(self.mix(hidden))
        hidden = self.conv(hidden.unsqueeze(1)).flatten(1)
        return self.score(hidden)


def task(kind, size=256):
    x = torch.randn(size, 8)
    y = x[:, :3].argmax(1) if kind == "largest" else x[:, 3:6].argmin(1)
    return x, y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rank", type=int, default=4)
    parser.add_argument("--alpha", type=int, default=16)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--combination", default="linear", choices=["linear", "cat", "svd"])
    args = parser.parse_args()

    config = LoraConfig(r=args.rank, lora_alpha=args.alpha, target_modules=["embed", "mix", "score"])
    model = get_peft_model(Backbone(), config, adapter_name="largest")
    model.add_adapter("smallest", config)
    for name in ("largest", "smallest"):
        model.set_adapter(name)
        x, y = task(name)
        optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=args.lr)
        for _ in range(args.steps):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        accuracy = (model(x).argmax(1) == y).float().mean()
        print(f"{name}: loss {loss.item():.4f} accuracy {accuracy.item():.3f}")
    model.add_weighted_adapter(
        ["largest", "smallest"], [0.7, 0.3], "both", combination_type=args.combination
    )
    model.set_adapter("both")
    with torch.no_grad(), model.disable_adapter():
        plain = model(x)
    print(f"shift {(model(x) - plain).abs().mean().item():.4f}")


if __name__ == "__main__":
    main()
