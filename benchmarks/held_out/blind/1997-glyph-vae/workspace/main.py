import argparse
import json

import torch
from torch.utils.data import DataLoader, random_split

from vae.elbo import BetaSchedule, kl_divergence, reconstruction
from vae.glyphs import make_glyphs
from vae.networks import VAE


def show(batch, threshold):
    for img in batch:
        print("\n".join("".join("#" if v > threshold else "." for v in row) for row in img[0]))
        print()


def run_epoch(model, loader, beta, optimizer=None):
    model.train(optimizer is not None)
    sums = torch.zeros(2)
    with torch.set_grad_enabled(optimizer is not None):
        for x in loader:
            recon, mu, logvar = model(x)
            rec, kl = reconstruction(recon, x), kl_divergence(mu, logvar)
            if optimizer is not None:
                optimizer.zero_grad()
                (rec + beta * kl).backward()
                optimizer.step()
            sums += torch.tensor([rec.item(), kl.item()]) * len(x)
    return (sums / len(loader.dataset)).tolist()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("settings", nargs="?", default="settings.json")
    with open(parser.parse_args().settings) as f:
        cfg = json.load(f)

    torch.manual_seed(cfg["train"]["seed"])
    glyphs = make_glyphs(cfg["data"]["count"], cfg["data"]["size"], cfg["data"]["seed"])
    train, held = random_split(glyphs, [0.85, 0.15])
    train_loader = DataLoader(train, cfg["data"]["batch_size"], shuffle=True)
    held_loader = DataLoader(held, cfg["data"]["batch_size"])
    print(f"{len(train)} glyphs for training, {len(held)} held out, ink {glyphs.mean():.3f}")

    model = VAE(cfg["data"]["size"], **cfg["model"])
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["train"]["lr"])
    schedule = BetaSchedule(**cfg["loss"])
    for epoch in range(cfg["train"]["epochs"]):
        beta = schedule(epoch)
        tr = run_epoch(model, train_loader, beta, optimizer)
        va = run_epoch(model, held_loader, beta)
        print(f"epoch {epoch} beta {beta:.2f} | train rec {tr[0]:.1f} kl {tr[1]:.2f} | held rec {va[0]:.1f} kl {va[1]:.2f}")
    show(model.sample(cfg["samples"]["count"]), cfg["samples"]["threshold"])


if __name__ == "__main__":
    main()
