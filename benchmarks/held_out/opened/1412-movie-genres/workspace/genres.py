"""Multi-label genre tagging of (synthetic) poster embeddings, torchmetrics for the evaluation."""
import argparse
import itertools
from typing import Iterator, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.data import BatchSampler, RandomSampler, SequentialSampler
from torchmetrics import MeanMetric, MetricCollection
from torchmetrics.classification import (MultilabelAveragePrecision, MultilabelF1Score,
                                         MultilabelHammingDistance)

GENRES = ["action", "comedy", "drama", "horror", "romance", "scifi", "western"]


class Split(NamedTuple):
    x: Tensor
    y: Tensor

    def batches(self, size: int, shuffle: bool) -> Iterator["Split"]:
        idx = RandomSampler(self.x) if shuffle else SequentialSampler(self.x)
        for b in BatchSampler(idx, size, drop_last=shuffle):
            yield Split(self.x[b], self.y[b])


def make_split(n: int, dim: int, gen: torch.Generator, proto: Tensor) -> Split:
    y = torch.rand(n, len(GENRES), generator=gen) < 0.25
    x = y.float() @ proto + 0.8 * torch.randn(n, dim, generator=gen)
    return Split(x, y.long())


class AsymmetricLoss(nn.Module):
    """Focuses less on easy negatives (Ridnik et al., simplified)."""

    def __init__(self, gamma_neg=2.0, gamma_pos=0.0, clip=0.05):
        super().__init__()
        self.gn, self.gp, self.clip = gamma_neg, gamma_pos, clip

    def forward(self, logits: Tensor, y: Tensor) -> Tensor:
        p = logits.sigmoid()
        pn = (1 - p + self.clip).clamp(max=1)
        pos = y * p.clamp(min=1e-8).log() * (1 - p) ** self.gp
        neg = (1 - y) * pn.clamp(min=1e-8).log() * (1 - pn) ** self.gn
        return -(pos + neg).sum(-1).mean()


class Evaluator:
    def __init__(self, n_labels: int):
        self.metrics = MetricCollection({
            "mAP": MultilabelAveragePrecision(n_labels, average="macro"),
            "F1": MultilabelF1Score(n_labels, threshold=0.4),
            "hamming": MultilabelHammingDistance(n_labels),
        }, prefix="val_")
        self.per_label = MultilabelF1Score(n_labels, average=None, threshold=0.4)

    @torch.no_grad()
    def __call__(self, model: nn.Module, split: Split) -> dict:
        was_training = model.training
        model.eval()
        self.metrics.reset()
        self.per_label.reset()
        for x, y in split.batches(128, shuffle=False):
            probs = model(x).sigmoid()
            self.metrics.update(y, probs)
            self.per_label.update(probs, y)
        model.train(was_training)
        return {k: v.item() for k, v in self.metrics.compute().items()}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--dim", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--lr", type=float, default=3e-3)
    a = ap.parse_args()

    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(0)
    proto = torch.randn(len(GENRES), a.dim, generator=gen)
    train, val = (make_split(n, a.dim, gen, proto) for n in (1500, 400))

    model = nn.Sequential(nn.Linear(a.dim, 64), nn.PReLU(), nn.BatchNorm1d(64), nn.Linear(64, len(GENRES)))
    criterion = AsymmetricLoss()
    opt = torch.optim.NAdam(model.parameters(), lr=a.lr)
    evaluator = Evaluator(len(GENRES))
    mean_loss = MeanMetric()

    for epoch in itertools.count(1):
        for x, y in train.batches(a.batch_size, shuffle=True):
            loss = criterion(model(x), y.float())
            opt.zero_grad()
            loss.backward()
            opt.step()
            mean_loss.update(loss.detach(), weight=len(x))
        report = evaluator(model, val)
        print(f"epoch {epoch} loss {mean_loss.compute():.4f} " + " ".join(f"{k}={v:.3f}" for k, v in report.items()))
        mean_loss.reset()
        if epoch >= a.epochs:
            break
    for g, f in zip(GENRES, evaluator.per_label.compute().tolist()):
        print(f"  {g:<8} F1 {f:.3f}")


if __name__ == "__main__":
    main()
