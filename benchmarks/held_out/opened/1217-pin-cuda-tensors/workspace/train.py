import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

from audio_data import ToneDataset


class SpecNet(nn.Module):
    def __init__(self, classes, bins=129):
        super().__init__()
        self.bn = nn.BatchNorm1d(bins)
        self.rnn = nn.GRU(bins, 64, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(128, classes)

    def forward(self, spec):
        x = self.bn(spec.squeeze(1)).transpose(1, 2)
        out, _ = self.rnn(x)
        return self.fc(out.mean(1))


def make_loader(ds, batch_size, shuffle):
    return DataLoader(ds, batch_size=batch_size, shuffle=shuffle, pin_memory=True, drop_last=shuffle)


def evaluate(model, loader, device):
    model.eval()
    hits = total = 0
    with torch.inference_mode():
        for spec, label in loader:
            pred = model(spec.to(device, non_blocking=True)).argmax(-1)
            hits += (pred == label.to(device)).sum().item()
            total += len(label)
    return hits / total


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--batch-size", type=int, default=32)
    args = ap.parse_args()
    device = torch.device("cuda")
    torch.manual_seed(0)
    train = make_loader(ToneDataset(640, seed=0), args.batch_size, True)
    test = make_loader(ToneDataset(128, seed=1), args.batch_size, False)
    model = SpecNet(12).to(device)
    opt = torch.optim.RAdam(model.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        model.train()
        start = time.perf_counter()
        for spec, label in train:
            spec, label = spec.to(device, non_blocking=True), label.to(device, non_blocking=True)
            loss = nn.functional.cross_entropy(model(spec), label)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
        took = time.perf_counter() - start
        print(f"epoch {epoch}: loss {loss.item():.3f} acc {evaluate(model, test, device):.3f} ({took:.1f}s)")


if __name__ == "__main__":
    main()
