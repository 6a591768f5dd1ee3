import sys
import tomllib

import torch
import torch.nn.functional as F

from graph import load_graph
from layers import GCN


def accuracy(logits, y, mask):
    return (logits.argmax(-1) == y)[mask].float().mean().item()


def train(model, g, cfg):
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"], weight_decay=cfg["weight_decay"])
    for epoch in range(1, cfg["epochs"] + 1):
        model.train()
        logits = model(g.x, g.edge_index)
        loss = F.cross_entropy(logits[g.train_mask], g.y[g.train_mask])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if epoch % cfg["log_every"] == 0:
            model.eval()
            with torch.no_grad():
                logits = model(g.x, g.edge_index)
            print(
                f"{epoch:4d}  loss {loss.item():.3f}"
                f"  train {accuracy(logits, g.y, g.train_mask):.3f}"
                f"  test {accuracy(logits, g.y, ~g.train_mask):.3f}"
            )


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "settings.toml"
    with open(path, "rb") as f:
        cfg = tomllib.load(f)
    print(cfg["title"])
    torch.manual_seed(cfg["seed"])
    g = load_graph(**cfg["data"])
    print(f"{len(g.x)} papers, {g.edge_index.shape[1]} directed links, {g.n_classes} topics")
    model = GCN(g.x.shape[1], g.n_classes, cfg["model"])
    train(model, g, cfg["train"])


if __name__ == "__main__":
    main()
