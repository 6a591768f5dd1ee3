import argparse
import math

import torch
from torch.utils.data import DataLoader

from mf_data import load_ratings
from mf_model import BiasedMF


@torch.no_grad()
def rmse(model, dataset, batch_size=256):
    model.eval()
    se, n = 0.0, 0
    for user, item, r in DataLoader(dataset, batch_size=batch_size):
        pred = model(user, item).clamp(1, 5)
        se += ((pred - r) ** 2).sum().item()
        n += len(r)
    return math.sqrt(se / n)


def parse_args():
    ap = argparse.ArgumentParser(description="biased matrix factorization")
    ap.add_argument("--ratings", default="data/ratings.csv")
    ap.add_argument("--dim", type=int, default=8)
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--lr", type=float, default=0.02)
    ap.add_argument("--l2", type=float, default=1e-4)
    ap.add_argument("--batch-size", type=int, default=64)
    return ap.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(0)
    data = load_ratings(args.ratings)
    model = BiasedMF(data.n_users, data.n_items, args.dim, data.mean)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=args.l2)
    loader = DataLoader(data.train, batch_size=args.batch_size, shuffle=True)

    for epoch in range(1, args.epochs + 1):
        model.train()
        run = 0.0
        for user, item, r in loader:
            loss = torch.nn.functional.mse_loss(model(user, item), r)
            opt.zero_grad()
            loss.backward()
            opt.step()
            run += loss.item() * len(r)
        train_rmse = math.sqrt(run / len(data.train))
        print(f"epoch {epoch:2d}  train rmse {train_rmse:.3f}", flush=True)
        print(f"          valid rmse {rmse(model, data.valid):.3f}", flush=True)


if __name__ == "__main__":
    main()
