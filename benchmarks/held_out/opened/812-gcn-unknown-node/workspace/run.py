import sys
import tomllib

import torch
import torch.nn.functional as F

from gcn import GCN
from graph import load_graph


def accuracy(logp, y, idx):
    return (logp[idx].argmax(-1) == y[idx]).float().mean().item()


def main(path):
    with open(path, "rb") as f:
        cfg = tomllib.load(f)
    torch.manual_seed(cfg["seed"])
    g = load_graph(cfg["data"], cfg["seed"])
    print(f"{g.x.shape[0]} nodes, {g.adj._nnz()} entries in adj, classes: {', '.join(g.classes)}")
    print(f"split: {len(g.train_idx)} / {len(g.val_idx)} / {len(g.test_idx)}")

    model = GCN(**cfg["model"])
    tc = cfg["train"]
    opt = torch.optim.Adam(model.parameters(), lr=tc["lr"], weight_decay=tc["weight_decay"])
    best = 0.0
    for epoch in range(1, tc["epochs"] + 1):
        model.train()
        opt.zero_grad()
        out = model(g.x, g.adj)
        loss = F.nll_loss(out[g.train_idx], g.y[g.train_idx])
        loss.backward()
        opt.step()
        if epoch % tc["eval_every"] == 0:
            model.eval()
            with torch.no_grad():
                out = model(g.x, g.adj)
            val = accuracy(out, g.y, g.val_idx)
            best = max(best, val)
            print(f"epoch {epoch:3d} loss {loss.item():.4f} val {val:.3f}")
    print(f"test acc {accuracy(out, g.y, g.test_idx):.3f} (best val {best:.3f})")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "config.toml")
