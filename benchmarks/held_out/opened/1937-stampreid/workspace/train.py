import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

from data import get_splits
from evaluate import recall_at
from losses import batch_hard_triplet
from sampler import IdentityBatches


class Embedder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
            nn.Flatten(), nn.Linear(32 * 5 * 5, dim),
        )

    def forward(self, x):
        return F.normalize(self.body(x), dim=1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("-p", "--identities", type=int, default=8)
    ap.add_argument("-k", "--views", type=int, default=4)
    ap.add_argument("--batches", type=int, default=20, help="batches per epoch")
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--dim", type=int, default=32)
    ap.add_argument("--margin", type=float, default=0.2)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--holdout", type=float, default=0.25,
                    help="share of the views kept away as queries")
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    train_set, query_set = get_splits(args.holdout, args.seed)
    sampler = IdentityBatches(train_set.ids.numpy(), args.identities, args.views,
                              args.batches, args.seed)
    loader = DataLoader(train_set, batch_sampler=sampler)
    model = Embedder(args.dim)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)

    print("before:", recall_at(model, train_set, query_set))
    for epoch in range(args.epochs):
        model.train()
        loss_sum = act_sum = 0.0
        for x, ids in loader:
            loss, active = batch_hard_triplet(model(x), ids, args.margin)
            opt.zero_grad()
            loss.backward()
            opt.step()
            loss_sum += loss.item()
            act_sum += active.item()
        rec = recall_at(model, train_set, query_set)
        print(f"epoch {epoch} triplet {loss_sum / len(loader):.4f} active {act_sum / len(loader):.2f} "
              + " ".join(f"R@{k} {v:.3f}" for k, v in rec.items()))


if __name__ == "__main__":
    main()
