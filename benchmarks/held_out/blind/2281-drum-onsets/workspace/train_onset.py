import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

from onset_data import WIN, OnsetLoops


class OnsetTCN(nn.Module):
    def __init__(self, bins, width=24):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(bins, width, 3, padding=1), nn.ReLU(),
            nn.Conv1d(width, width, 3, padding=2, dilation=2), nn.ReLU(),
            nn.Conv1d(width, 1, 1),
        )

    def forward(self, x):
        return self.net(x.transpose(1, 2)).squeeze(1)


def f1(logits, y, tol=2):
    hit = (logits > 0).float()
    near = nn.functional.max_pool1d(y[:, None], 2 * tol + 1, 1, tol)[:, 0]
    tp = (hit * near).sum()
    p = tp / hit.sum().clamp(min=1)
    r = tp / near.sum().clamp(min=1)
    return (2 * p * r / (p + r).clamp(min=1e-6)).item()


def main(manifest):
    torch.manual_seed(1)
    train, test = OnsetLoops(manifest, "train"), OnsetLoops(manifest, "test")
    print(f"{len(train)} training loops, {len(test)} test loops")
    model = OnsetTCN(WIN // 2 + 1)
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    loss_fn = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(8.0))
    for epoch in range(6):
        for x, y in DataLoader(train, batch_size=8, shuffle=True):
            loss = loss_fn(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            scores = [f1(model(x), y) for x, y in DataLoader(test, batch_size=8)]
        print(f"epoch {epoch + 1} loss {loss.item():.3f} test F1 {sum(scores) / len(scores):.3f}")


if __name__ == "__main__":
    main(sys.argv[1])
