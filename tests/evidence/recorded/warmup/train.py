import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="train.pt")
    parser.add_argument("--num-classes", type=int, default=5)
    parser.add_argument("--image-size", type=int, default=28)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--warmup-steps", type=int, default=0)
    parser.add_argument("--total-steps", type=int, default=100)
    return parser.parse_args()


class ConvNet(nn.Module):
    def __init__(self, num_classes, image_size):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.pool = nn.MaxPool2d(2)
        side = image_size // 4
        self.fc = nn.Linear(16 * side * side, num_classes)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        return self.fc(x.flatten(1))


def loader(args):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(256, 1, args.image_size, args.image_size, generator=generator)
    y = torch.randint(0, args.num_classes, (256,), generator=generator)
    return DataLoader(TensorDataset(x, y), batch_size=args.batch_size, shuffle=True)


def main():
    args = parse_args()
    model = ConvNet(args.num_classes, args.image_size)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, s / args.warmup_steps))
    for epoch in range(2):
        for x, y in loader(args):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
        print("epoch", epoch, "loss", loss.item())


if __name__ == "__main__":
    main()
