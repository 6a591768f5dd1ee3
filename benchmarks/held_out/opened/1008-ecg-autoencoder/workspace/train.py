import math

import torch

from autoencoder import BeatAutoencoder
from config import Config
from signals import get_loaders


def step_loss(model, x, l2_latent=1e-4):
    recon, z = model(x)
    err = (recon - x) ** 2
    return err.mean() + l2_latent * z.pow(2).mean(), err.mean(dim=(1, 2))


def train_epoch(model, loader, opt):
    model.train()
    total = 0.0
    for i, (x,) in enumerate(loader):
        loss, _ = step_loss(model, x)
        if not math.isfinite(loss.item()):
            raise RuntimeError(f"loss is {loss.item()} in batch {i}, stopping")
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def beat_errors(model, loader):
    model.eval()
    return torch.cat([step_loss(model, x)[1] for (x,) in loader])


def main():
    cfg = Config()
    torch.manual_seed(cfg.train.seed)
    train_dl, val_dl = get_loaders(cfg.data)
    print(f"beats: {len(train_dl.dataset)} train / {len(val_dl.dataset)} val")
    model = BeatAutoencoder(cfg.model, cfg.data.beat_len)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.train.lr)

    for epoch in range(cfg.train.epochs):
        tr = train_epoch(model, train_dl, opt)
        va = beat_errors(model, val_dl).mean().item()
        print(f"[{epoch}] train {tr:.4f} val {va:.4f}")

    threshold = torch.quantile(beat_errors(model, train_dl), cfg.train.quantile)
    flagged = (beat_errors(model, val_dl) > threshold).sum().item()
    print(f"threshold {threshold:.4f}, flagged {flagged} of {len(val_dl.dataset)} val beats")


if __name__ == "__main__":
    main()
