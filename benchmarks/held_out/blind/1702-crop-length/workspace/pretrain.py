import argparse

import torch
from torch.utils.data import DataLoader

from contrast import Encoder, SimCLR, TwoViews, nt_xent


def parse_args():
    parser = argparse.ArgumentParser(description="SimCLR on body-worn sensor windows")
    parser.add_argument("--data", required=True)
    parser.add_argument("--channels", type=int, default=6)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=48)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--temperature", type=float, default=0.2)
    parser.add_argument("--save", default="encoder.pt")
    return parser.parse_args()


def train_one_epoch(model, loader, optimizer, temperature):
    model.train()
    total = 0.0
    for view_a, view_b, _ in loader:
        loss = nt_xent(model(view_a), model(view_b), temperature)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


if __name__ == "__main__":
    args = parse_args()
    torch.manual_seed(0)
    train_set = TwoViews(args.data, subjects=[0, 1, 2, 3])
    loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True, drop_last=True)
    model = SimCLR(Encoder(args.channels, args.width))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(1, args.epochs + 1):
        loss = train_one_epoch(model, loader, optimizer, args.temperature)
        print(f"epoch {epoch}: contrastive loss {loss:.4f}")
    torch.save({"state": model.encoder.state_dict(), "width": args.width}, args.save)
    print("encoder saved to", args.save)
