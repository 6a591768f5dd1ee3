import argparse
import json

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from beatnet import BeatNet


def load_split(path, held_out):
    z = np.load(path)
    x = torch.from_numpy(z["beats"].astype(np.float32)).unsqueeze(1)
    y = torch.from_numpy(z["labels"])
    test = torch.from_numpy(z["groups"] == held_out)
    return TensorDataset(x[~test], y[~test]), TensorDataset(x[test], y[test])


@torch.no_grad()
def score(model, loader, n_classes):
    model.eval()
    confusion = torch.zeros(n_classes, n_classes, dtype=torch.long)
    for x, y in loader:
        pred = model(x).argmax(1)
        for t, p in zip(y, pred):
            confusion[t, p] += 1
    recall = confusion.diag() / confusion.sum(1).clamp(min=1)
    return confusion.diag().sum().item() / confusion.sum().item(), recall.mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="config.json")
    ap.add_argument("--held-out", default="p117")
    args = ap.parse_args()
    with open(args.config) as fh:
        cfg = json.load(fh)
    tcfg = cfg["train"]
    torch.manual_seed(tcfg["seed"])

    train_set, test_set = load_split(cfg["out_file"], args.held_out)
    train_loader = DataLoader(train_set, tcfg["batch_size"], shuffle=True)
    test_loader = DataLoader(test_set, 64)

    length = cfg["samples_before"] + cfg["samples_after"]
    n_classes = len(cfg["classes"])
    model = BeatNet(length, tcfg["channels"], n_classes)
    opt = torch.optim.AdamW(model.parameters(), lr=tcfg["lr"])
    print(f"{len(train_set)} training beats, {len(test_set)} test beats, {n_classes} classes")

    for epoch in range(tcfg["epochs"]):
        model.train()
        total = 0.0
        for x, y in train_loader:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
        acc, bal = score(model, test_loader, n_classes)
        print(f"epoch {epoch}: loss {total / len(train_set):.4f}  acc {acc:.3f}  balanced {bal:.3f}")


if __name__ == "__main__":
    main()
