from __future__ import annotations

import torch
from torch import nn
import torch.nn.functional as F


class SegLoss(nn.Module):
    """Weighted sum of cross entropy and soft dice."""

    def __init__(self, cfg: dict) -> None:
        super().__init__()
        self.ce_weight = cfg["loss"]["ce_weight"]
        self.dice_weight = cfg["loss"]["dice_weight"]
        self.ignore = cfg["data"].get("ignore_index", -100)
        self.register_buffer("class_weights", torch.tensor(cfg["loss"]["class_weights"]))

    def dice(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        n_classes = logits.shape[1]
        valid = target != self.ignore
        safe = torch.where(valid, target, torch.zeros_like(target))
        onehot = F.one_hot(safe, n_classes).permute(0, 3, 1, 2) * valid.unsqueeze(1)
        prob = logits.softmax(dim=1) * valid.unsqueeze(1)
        inter = (prob * onehot).sum(dim=(0, 2, 3))
        total = prob.sum(dim=(0, 2, 3)) + onehot.sum(dim=(0, 2, 3))
        return 1 - ((2 * inter + 1) / (total + 1)).mean()

    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        ce = F.cross_entropy(logits, target, weight=self.class_weights, ignore_index=self.ignore)
        return self.ce_weight * ce + self.dice_weight * self.dice(logits, target)
