import torch
from torch import nn
import torch.nn.functional as F


class DiceLoss(nn.Module):
    def __init__(self, num_classes, ignore_index, eps=1.0):
        super().__init__()
        self.num_classes, self.ignore_index, self.eps = num_classes, ignore_index, eps

    def forward(self, logits, target):
        valid = target != self.ignore_index
        onehot = F.one_hot(target.where(valid, 0), self.num_classes).movedim(-1, 1).float()
        valid = valid.unsqueeze(1)
        prob = logits.float().softmax(1) * valid
        onehot = onehot * valid
        inter = (prob * onehot).sum((0, 2, 3))
        denom = (prob + onehot).sum((0, 2, 3))
        return 1 - ((2 * inter + self.eps) / (denom + self.eps)).mean()


class CombinedLoss(nn.Module):
    """Weighted sum of pixel cross entropy and soft dice."""

    def __init__(self, num_classes, ignore_index, ce=1.0, dice=1.0, class_weights=None):
        super().__init__()
        weight = torch.tensor(class_weights) if class_weights else None
        self.ce = nn.CrossEntropyLoss(weight=weight, ignore_index=ignore_index, reduction="none")
        self.dice = DiceLoss(num_classes, ignore_index)
        self.w_ce, self.w_dice = ce, dice

    def forward(self, logits, target):
        return self.w_ce * self.ce(logits.float(), target) + self.w_dice * self.dice(logits, target)
