import argparse

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from digits import accuracy, loaders
from nets import Teacher

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--out", default="teacher.pt")


def main():
    args = parser.parse_args()
    torch.manual_seed(0)
    train, test = loaders(args.batch_size)
    model = nn.DataParallel(Teacher())
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(args.epochs):
        model.train()
        for x, y in train:
            loss = cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"teacher epoch {epoch}: acc {accuracy(model, test):.3f}")

    torch.save({"state": model.state_dict(), "epochs": args.epochs}, args.out)


if __name__ == "__main__":
    main()
