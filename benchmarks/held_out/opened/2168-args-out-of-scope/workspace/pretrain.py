"""Contrastive pretraining on textures, then a linear probe on frozen features."""
import argparse
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, Subset

N_CLASSES = 4


class Textures(Dataset):
    """16x16 oriented gratings; the class is the orientation."""

    def __init__(self, n=400, side=16, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, N_CLASSES, (n,), generator=g)
        lin = torch.linspace(-1, 1, side)
        yy, xx = torch.meshgrid(lin, lin, indexing="ij")
        ang = self.labels * math.pi / N_CLASSES
        phase = torch.rand(n, generator=g) * 2 * math.pi
        proj = ang.cos()[:, None, None] * xx + ang.sin()[:, None, None] * yy
        waves = torch.sin(8 * proj + phase[:, None, None])
        self.images = waves[:, None] + 0.2 * torch.randn(n, 1, side, side, generator=g)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


class TwoViews:
    """Wraps a dataset, gives two random augmentations of each image."""

    def __init__(self, base, noise=0.3, crop=14):
        self.base, self.noise, self.crop = base, noise, crop

    def __len__(self):
        return len(self.base)

    def augment(self, img):
        side = img.shape[-1]
        oy, ox = torch.randint(0, side - self.crop + 1, (2,)).tolist()
        out = torch.zeros_like(img)
        out[:, : self.crop, : self.crop] = img[:, oy : oy + self.crop, ox : ox + self.crop]
        gain = 0.7 + 0.6 * torch.rand(1)
        return out * gain + self.noise * torch.randn_like(img)

    def __getitem__(self, i):
        img, _ = self.base[i]
        return self.augment(img), self.augment(img)


class Backbone(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.dim = 2 * width
        self.convs = nn.Sequential(
            nn.Conv2d(1, width, 5, padding=2),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(width, self.dim, 3, padding=1),
            nn.BatchNorm2d(self.dim),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
        )

    def forward(self, x):
        return self.convs(x)


class ContrastiveModel(nn.Module):
    def __init__(self, width=16, proj_dim=24):
        super().__init__()
        self.backbone = Backbone(width)
        d = self.backbone.dim
        self.projector = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, proj_dim))

    def forward(self, x):
        return F.normalize(self.projector(self.backbone(x)), dim=-1)


class NTXent(nn.Module):
    def __init__(self, batch_size, temperature=0.2):
        super().__init__()
        self.temperature = temperature
        n = 2 * batch_size
        self.register_buffer("diag", torch.eye(n, dtype=torch.bool))
        self.register_buffer("partner", (torch.arange(n) + batch_size) % n)

    def forward(self, za, zb):
        z = torch.cat([za, zb])
        sim = z @ z.T / self.temperature
        sim = sim.masked_fill(self.diag, float("-inf"))
        return F.cross_entropy(sim, self.partner)


def pretrain(model, data, args):
    loader = DataLoader(TwoViews(data), batch_size=args.batch, shuffle=True, drop_last=True)
    crit = NTXent(args.batch, args.temperature)
    opt = torch.optim.Adam(model.parameters(), args.lr)
    for epoch in range(args.epochs):
        model.train()
        losses = []
        for va, vb in loader:
            loss = crit(model(va), model(vb))
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"pretrain {epoch + 1}/{args.epochs} loss {sum(losses) / len(losses):.4f}")


def features(backbone, data):
    backbone.eval()
    with torch.no_grad():
        chunks = [(backbone(x), y) for x, y in DataLoader(data, batch_size=128)]
    return torch.cat([c[0] for c in chunks]), torch.cat([c[1] for c in chunks])


def linear_probe(model, train, test, steps=150):
    backbone = copy.deepcopy(model.backbone)
    ftr, ytr = features(backbone, train)
    fte, yte = features(backbone, test)
    mu, sd = ftr.mean(0), ftr.std(0) + 1e-6
    clf = nn.Linear(backbone.dim, N_CLASSES)
    opt = torch.optim.Adam(clf.parameters(), 0.03)
    for step in range(steps):
        loss = F.cross_entropy(clf((ftr - mu) / sd), ytr)
        opt.zero_grad()
        loss.backward()
        opt.step()
    acc = (clf((fte - mu) / sd).argmax(1) == yte).float().mean()
    print(f"probe after {args.epochs} epochs: loss {loss.item():.4f} test accuracy {acc.item():.3f}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--temperature", type=float, default=0.2)
    p.add_argument("--proj-dim", type=int, default=24)
    args = p.parse_args()
    torch.manual_seed(0)
    data = Textures()
    cut = int(0.75 * len(data))
    train, test = Subset(data, range(cut)), Subset(data, range(cut, len(data)))
    model = ContrastiveModel(proj_dim=args.proj_dim)
    pretrain(model, train, args)
    linear_probe(model, train, test)


if __name__ == "__main__":
    main()
