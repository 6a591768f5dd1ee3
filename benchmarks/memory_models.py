"""Twelve models of PyTorch, each with a training of three steps on random batches.

python benchmarks/memory_models.py MODEL [--batch-size N]
"""
# ruff: noqa: D101, D102, D103, N812

import argparse

import torch
import torch.nn.functional as F
from torch import nn


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)
        )

    def forward(self, x):
        return self.layers(x)


class SmallConvolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, 3, padding=1)
        self.conv2 = nn.Conv2d(32, 64, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(64 * 16 * 16, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        return self.head(x.flatten(1))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return F.relu(x + y)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 48, 3, padding=1)
        self.blocks = nn.Sequential(Block(48), Block(48), Block(48))
        self.head = nn.Linear(48, 10)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.head(x.mean(dim=(2, 3)))


def double(into, out):
    return nn.Sequential(
        nn.Conv2d(into, out, 3, padding=1), nn.BatchNorm2d(out), nn.ReLU(),
        nn.Conv2d(out, out, 3, padding=1), nn.BatchNorm2d(out), nn.ReLU(),
    )  # fmt: skip


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2 = double(1, 16), double(16, 32)
        self.bottom = double(32, 64)
        self.up2, self.up1 = nn.ConvTranspose2d(64, 32, 2, 2), nn.ConvTranspose2d(32, 16, 2, 2)
        self.join2, self.join1 = double(64, 32), double(32, 16)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Conv2d(16, 1, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(self.pool(a))
        x = self.bottom(self.pool(b))
        x = self.join2(torch.cat([self.up2(x), b], dim=1))
        x = self.join1(torch.cat([self.up1(x), a], dim=1))
        return self.head(x)


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(784, 512), nn.Tanh(), nn.Linear(512, 64))
        self.decode = nn.Sequential(nn.Linear(64, 512), nn.Tanh(), nn.Linear(512, 784))

    def forward(self, x):
        return torch.sigmoid(self.decode(self.encode(x)))


class Variational(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(784, 400)
        self.mean, self.spread = nn.Linear(400, 20), nn.Linear(400, 20)
        self.decode1, self.decode2 = nn.Linear(20, 400), nn.Linear(400, 784)

    def forward(self, x):
        h = F.relu(self.body(x))
        mean, spread = self.mean(h), self.spread(h)
        z = mean + torch.exp(0.5 * spread) * torch.randn_like(spread)
        return torch.sigmoid(self.decode2(F.relu(self.decode1(z))))


class LongShortTerm(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(5000, 128)
        self.memory = nn.LSTM(128, 256, num_layers=1, batch_first=True)
        self.head = nn.Linear(256, 4)

    def forward(self, x):
        states, _ = self.memory(self.words(x))
        return self.head(states[:, -1])


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = nn.GRU(32, 128, num_layers=2, batch_first=True)
        self.head = nn.Linear(128, 4)

    def forward(self, x):
        states, _ = self.memory(x)
        return self.head(states[:, -1])


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(5000, 128)
        layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.1, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 3)
        self.head = nn.Linear(128, 4)

    def forward(self, x):
        return self.head(self.layers(self.words(x)).mean(dim=1))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).split(c, dim=2)
        q = q.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        k = k.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        v = v.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        scores = torch.softmax(q @ k.transpose(-2, -1) / 8.0, dim=-1)
        return self.out((scores @ v).transpose(1, 2).reshape(b, t, c))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.inner = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.inner(self.norm2(x))


class Generative(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(2000, 192), nn.Embedding(128, 192)
        self.layers = nn.Sequential(Layer(192, 6), Layer(192, 6), Layer(192, 6))
        self.norm, self.head = nn.LayerNorm(192), nn.Linear(192, 2000, bias=False)

    def forward(self, x):
        x = self.words(x) + self.places(torch.arange(x.shape[1]))
        x = self.head(self.norm(self.layers(x)))
        return x.transpose(1, 2)


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.cut = nn.Conv2d(3, 128, 8, stride=8)
        self.layers = nn.Sequential(Layer(128, 4), Layer(128, 4))
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        x = self.cut(x).flatten(2).transpose(1, 2)
        return self.head(self.layers(x).mean(dim=1))


class Temporal(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(16, 64, 5, padding=2), nn.ReLU(), nn.Dropout(0.2),
            nn.Conv1d(64, 64, 5, padding=4, dilation=2), nn.ReLU(), nn.Dropout(0.2),
            nn.Conv1d(64, 64, 5, padding=8, dilation=4), nn.ReLU(), nn.Dropout(0.2),
        )  # fmt: skip
        self.head = nn.Linear(64, 4)

    def forward(self, x):
        return self.head(self.layers(x)[:, :, -1])


def images(n, channels=3, side=64, classes=10):
    return torch.randn(n, channels, side, side), torch.randint(0, classes, (n,))


def flat(n):
    x = torch.rand(n, 784)
    return x, x


def words(n, length=64, vocabulary=5000):
    return torch.randint(0, vocabulary, (n, length)), torch.randint(0, 4, (n,))


def text(n):
    return torch.randint(0, 2000, (n, 128)), torch.randint(0, 2000, (n, 128))


def pictures(n):
    return torch.randn(n, 1, 128, 128), torch.rand(n, 1, 128, 128)


def series(n):
    return torch.randn(n, 96, 32), torch.randint(0, 4, (n,))


def signals(n):
    return torch.randn(n, 16, 1024), torch.randint(0, 4, (n,))


def digits(n):
    return torch.randn(n, 784), torch.randint(0, 10, (n,))


MODELS = {
    "perceptron": (Perceptron, digits, nn.CrossEntropyLoss, 256),
    "convolutions": (SmallConvolutions, images, nn.CrossEntropyLoss, 32),
    "residual": (Residual, images, nn.CrossEntropyLoss, 16),
    "unet": (Unet, pictures, nn.BCEWithLogitsLoss, 8),
    "autoencoder": (Autoencoder, flat, nn.MSELoss, 512),
    "variational": (Variational, flat, nn.BCELoss, 512),
    "lstm": (LongShortTerm, words, nn.CrossEntropyLoss, 64),
    "gru": (Gated, series, nn.CrossEntropyLoss, 64),
    "encoder": (Encoder, words, nn.CrossEntropyLoss, 32),
    "gpt": (Generative, text, nn.CrossEntropyLoss, 8),
    "patches": (Patches, images, nn.CrossEntropyLoss, 32),
    "temporal": (Temporal, signals, nn.CrossEntropyLoss, 16),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=list(MODELS))
    parser.add_argument("--batch-size", type=int)
    args = parser.parse_args()
    build, batch, criterion, usual = MODELS[args.model]
    size = args.batch_size or usual
    model = build()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss_fn = criterion()
    for step in range(3):
        x, y = batch(size)
        loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
