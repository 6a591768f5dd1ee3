import argparse
import os

import torch
from torch.utils.data import DataLoader, TensorDataset, random_split

from vae import VAE


def crosses(n, seed=0):
    g = torch.Generator().manual_seed(seed)
    x = torch.zeros(n, 1, 12, 12)
    pos = torch.randint(1, 11, (n, 2), generator=g)
    for img, (i, j) in zip(x, pos.tolist()):
        img[0, i, :] = 1.0
        img[0, max(j - 4, 0):j + 4, j] = 1.0
    return x


def save_checkpoint(path, **state):
    tmp = path + ".tmp"
    torch.save(state, tmp)
    os.replace(tmp, path)


def get_args():
    ap = argparse.ArgumentParser()
    ap.add_argument("--latent-dim", type=int, default=8)
    ap.add_argument("--hidden", type=int, default=64)
    ap.add_argument("--epochs", type=int, required=True, help="total number, counting the ones before a resume")
    ap.add_argument("--beta", type=float, default=1.0)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--ckpt", default="last.pt")
    ap.add_argument("--resume", action="store_true")
    return ap.parse_args()


def main():
    args = get_args()
    torch.manual_seed(3)
    full = TensorDataset(crosses(640))
    train_set, val_set = random_split(full, [0.8, 0.2], generator=torch.Generator().manual_seed(0))
    train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
    val_x = torch.stack([x for (x,) in val_set])

    model = VAE(args.latent_dim, args.hidden)
    optimizer = torch.optim.Adamax(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.95)
    start, best = 0, float("inf")
    if args.resume:
        ckpt = torch.load(args.ckpt, weights_only=True)
        model.load_state_dict(ckpt["model"])
        optimizer.load_state_dict(ckpt["optimizer"])
        scheduler.load_state_dict(ckpt["scheduler"])
        torch.set_rng_state(ckpt["rng"])
        start, best = ckpt["epoch"] + 1, ckpt["best"]
        print(f"resumed from epoch {ckpt['epoch']} (best {best:.2f})")

    for epoch in range(start, args.epochs):
        model.train()
        for (x,) in train_loader:
            loss, rec, kl = model.elbo(x, args.beta)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
        model.eval()
        with torch.no_grad():
            val, rec, kl = model.elbo(val_x)
        best = min(best, val.item())
        print(f"epoch {epoch}: val -ELBO {val:.2f} (rec {rec:.2f}, kl {kl:.2f})")
        save_checkpoint(args.ckpt, model=model.state_dict(), optimizer=optimizer.state_dict(),
                        scheduler=scheduler.state_dict(), rng=torch.get_rng_state(), epoch=epoch, best=best,
                        hparams={"latent_dim": args.latent_dim, "hidden": args.hidden})


if __name__ == "__main__":
    main()
