import argparse

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


class Encoder(nn.Module):
    def __init__(self, channels=16):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, channels, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(channels, channels * 2, 3, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
        )
        self.head = nn.Linear(channels * 8, 2)

    def forward(self, images):
        return self.head(self.body(images))


def loaders(batch_size):
    digits = load_digits()
    images = (digits.images / 16.0 - 0.5)[:, None].astype(np.float32)
    x_train, x_val, y_train, y_val = train_test_split(images, digits.target, random_state=0)
    train_set = TensorDataset(torch.from_numpy(x_train), torch.from_numpy(y_train))
    val_set = TensorDataset(torch.from_numpy(x_val), torch.from_numpy(y_val))
    return DataLoader(train_set, batch_size=batch_size, shuffle=True), DataLoader(val_set, 256)


def pretrain(model, loader, device):
    """First odd against even, as a warm start."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images.to(device)), (labels % 2).to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def evaluate(model, loader, device):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for images, labels in loader:
            predicted = model(images.to(device)).argmax(dim=1).cpu()
            right += (predicted == labels).sum().item()
            total += len(labels)
    model.train()
    return right / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=0.05)
    args = parser.parse_args()
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    train_loader, val_loader = loaders(args.batch_size)

    model = Encoder().to(device)
    pretrain(model, train_loader, device)

    for parameter in model.body.parameters():
        parameter.requires_grad = False
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    model.head = nn.Linear(model.head.in_features, 10).to(device)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(args.epochs):
        running = 0.0
        for images, labels in train_loader:
            images, labels = images.to(device), labels.to(device)
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            running += loss.item()
        accuracy = evaluate(model, val_loader, device)
        print(f"epoch {epoch + 1}: loss {running / len(train_loader):.3f}, accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
