import sys

import torch
import torch.nn.functional as F
import yaml
from torch.utils.data import DataLoader

from checkpoint import CheckpointManager
from glyphs import glyph_dataset
from network import build_network


def accuracy(model, ds):
    model.eval()
    x, y = ds.tensors
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def main(config_path):
    with open(config_path) as f:
        cfg = yaml.safe_load(f)
    torch.manual_seed(0)
    d, t = cfg["data"], cfg["train"]
    train = glyph_dataset(d["n_train"], d["noise"], seed=1)
    valid = glyph_dataset(d["n_valid"], d["noise"], seed=2)

    model = build_network(**cfg["model"])
    opt = torch.optim.Adam(model.parameters(), lr=t["lr"])
    n_par = sum(p.numel() for p in model.parameters())
    print(f"config {config_path}: {n_par} parameters")

    ckpt = CheckpointManager(cfg["output_dir"])
    first = ckpt.maybe_resume(model, opt, cfg["resume"])
    for epoch in range(first, t["epochs"]):
        model.train()
        losses = []
        for x, y in DataLoader(train, batch_size=t["batch_size"], shuffle=True):
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch} loss {sum(losses) / len(losses):.3f} valid acc {accuracy(model, valid):.2f}")
        ckpt.save(model, opt, epoch)


if __name__ == "__main__":
    main(sys.argv[1])
