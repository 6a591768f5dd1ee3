import sys

import torch
import yaml
from torch import nn

from model import SensorTransformer


def load_config(path):
    with open(path) as stream:
        return yaml.safe_load(stream)


def make_batches(cfg):
    data = cfg["data"]
    generator = torch.Generator().manual_seed(1)
    for _ in range(4):
        x = torch.randn(data["batch_size"], data["seq_len"], data["features"], generator=generator)
        y = torch.randint(0, cfg["model"]["classes"], (data["batch_size"],), generator=generator)
        yield x, y


def main():
    cfg = load_config(sys.argv[1] if len(sys.argv) > 1 else "configs/base.yaml")
    model = SensorTransformer(cfg["data"]["features"], **cfg["model"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["optim"]["lr"], weight_decay=cfg["optim"]["weight_decay"])
    for step, (x, y) in enumerate(make_batches(cfg)):
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
