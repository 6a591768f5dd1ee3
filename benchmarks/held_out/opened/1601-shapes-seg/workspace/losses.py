"""Segmentation loss and score."""
import torch
import torch.nn.functional as F
from torch import nn


class SegLoss(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        weights = cfg["class_weights"]
        self.register_buffer("weights", torch.tensor(weights) if weights else None)
        self.ignore_index = cfg["ignore_index"]
        self.dice_weight = cfg["dice_weight"]

    def forward(self, logits, target):
        loss = F.cross_entropy(
            logits, target, weight=self.weights, ignore_index=self.ignore_index
        )
        if self.dice_weight:
            loss = loss + self.dice_weight * self.dice(logits, target)
        return loss

    def dice(self, logits, target):
        keep = (target != self.ignore_index).unsqueeze(1)
        classes = torch.arange(logits.shape[1], device=logits.device).view(1, -1, 1, 1)
        onehot = (target.unsqueeze(1) == classes) & keep
        probs = logits.softmax(1) * keep
        inter = (probs * onehot).sum((0, 2, 3))
        total = probs.sum((0, 2, 3)) + onehot.sum((0, 2, 3))
        return 1 - ((2 * inter + 1) / (total + 1)).mean()


@torch.no_grad()
def mean_iou(pred, target, num_classes, ignore_index):
    keep = target != ignore_index
    ious = []
    for c in range(num_classes):
        p, t = (pred == c) & keep, (target == c) & keep
        union = (p | t).sum().item()
        if union:
            ious.append((p & t).sum().item() / union)
    return sum(ious) / len(ious)
