import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from pollen.slides import TAXA, GrainDataset
from pollen.vit import PollenViT


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--dim", type=int, default=48)
    p.add_argument("--depth", type=int, default=3)
    p.add_argument("--heads", type=int, default=4)
    p.add_argument("--mlp-ratio", type=float, default=2.0)
    p.add_argument("--drop", type=float, default=0.1)
    p.add_argument("--lr", type=float, default=1e-3)
    return p.parse_args()


def evaluate(model, loader):
    model.eval()
    conf = torch.zeros(len(TAXA), len(TAXA), dtype=torch.long)
    with torch.no_grad():
        for x, y in loader:
            for t, p in zip(y, model(x).argmax(1)):
                conf[t, p] += 1
    return conf


if __name__ == "__main__":
    args = parse_args()
    torch.manual_seed(3)
    train_dl = DataLoader(GrainDataset(256, seed=1), batch_size=32, shuffle=True)
    test_dl = DataLoader(GrainDataset(64, seed=2), batch_size=32)
    print(f"{len(train_dl.dataset)} training grains, {len(test_dl.dataset)} test grains")
    model = PollenViT(dim=args.dim, depth=args.depth, heads=args.heads,
                      mlp_ratio=args.mlp_ratio, drop=args.drop, n_classes=len(TAXA))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        model.train()
        for x, y in train_dl:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        conf = evaluate(model, test_dl)
        print(f"epoch {epoch}  loss {loss.item():.3f}  acc {conf.trace().item() / conf.sum().item():.3f}")
