from __future__ import annotations

import torch


class ConfusionMatrix:
    def __init__(self, n_classes: int, ignore: int) -> None:
        self.n = n_classes
        self.ignore = ignore
        self.mat = torch.zeros(n_classes, n_classes, dtype=torch.long)

    def update(self, pred: torch.Tensor, target: torch.Tensor) -> None:
        keep = target != self.ignore
        idx = target[keep] * self.n + pred[keep]
        self.mat += torch.bincount(idx, minlength=self.n**2).view(self.n, self.n)

    def iou(self) -> torch.Tensor:
        inter = self.mat.diag().float()
        union = self.mat.sum(0) + self.mat.sum(1) - self.mat.diag()
        return inter / union.clamp(min=1).float()
