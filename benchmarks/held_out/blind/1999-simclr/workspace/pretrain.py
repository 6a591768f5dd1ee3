import argparse
import math

import torch
from torch.utils.data import DataLoader

from augment import simclr_views
from encoder import SimCLR
from ntxent import nt_xent
from probe import linear_probe
from shapes import ShapeImages


def parse():
    p = argparse.ArgumentParser(description="SimCLR pretraining and linear probe")
    p.add_argument("--num-images", type=int, default=384)
    p.add_argument("--size", type=int, default=20)
    p.add_argument("--width", type=int, default=8)
    p.add_argument("--proj-dim", type=int, default=16)
    p.add_argument("--temperature", type=float, default=0.2)
    p.add_argument("--batch-size", type=int, default=48)
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--weight-decay", type=float, default=1e-4)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def main():
    args = parse()
    torch.manual_seed(args.seed)
    views = ShapeImages(args.num_images, args.size, seed=1, transform=simclr_views())
    loader = DataLoader(views, args.batch_size, shuffle=True, drop_last=True)
    model = SimCLR(args.width, args.proj_dim)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    print(f"{len(views)} images, {len(loader)} steps per epoch, uniform loss would be "
          f"{math.log(2 * args.batch_size - 1):.3f}")

    for epoch in range(1, args.epochs + 1):
        model.train()
        loss_sum = acc_sum = 0.0
        for x, _ in loader:
            z = model(torch.cat([x[:, 0], x[:, 1]]))
            loss, acc = nt_xent(z, args.temperature)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss_sum += loss.item()
            acc_sum += acc
        scheduler.step()
        print(f"epoch {epoch:2d}  nt-xent {loss_sum / len(loader):.3f}  pair top1 {acc_sum / len(loader):.3f}  "
              f"lr {scheduler.get_last_lr()[0]:.2g}")

    train = ShapeImages(200, args.size, seed=2)
    test = ShapeImages(120, args.size, seed=3)
    print(f"linear probe accuracy {linear_probe(model.encoder, train, test):.3f}")


if __name__ == "__main__":
    main()
