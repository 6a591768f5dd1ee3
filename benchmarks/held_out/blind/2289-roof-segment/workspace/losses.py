import torch
import torch.nn.functional as F
from torch import nn


class SegLoss(nn.Module):
    """Cross entropy plus soft dice, both blind to one label value."""

    def __init__(self, n_classes, dice_weight=0.5, smooth=1.0, ignore_label=-1):
        super().__init__()
        self.n_classes = n_classes
        self.dice_weight = dice_weight
        self.smooth = smooth
        self.ignore_label = ignore_label

    def forward(self, logits, target):
        valid = target != self.ignore_label
        labels = target[valid]
        assert labels.min() >= 0 and labels.max() < self.n_classes, "labels outside the class range"
        logits = logits.permute(0, 2, 3, 1)[valid]
        ce = F.cross_entropy(logits, labels)
        p = logits.softmax(-1)
        t = F.one_hot(labels, self.n_classes).float()
        dice = (2 * (p * t).sum(0) + self.smooth) / (p.sum(0) + t.sum(0) + self.smooth)
        return ce + self.dice_weight * (1 - dice.mean())
