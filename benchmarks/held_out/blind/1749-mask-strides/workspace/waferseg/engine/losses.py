import torch
import torch.nn.functional as F
from torch import nn


class DiceCELoss(nn.Module):
    def __init__(self, num_classes, weight=None, dice_factor=0.5):
        super().__init__()
        self.num_classes = num_classes
        self.dice_factor = dice_factor
        self.register_buffer("weight", weight)

    def dice(self, logits, target):
        prob = logits.softmax(dim=1)
        onehot = F.one_hot(target, self.num_classes).permute(0, 3, 1, 2).float()
        inter = (prob * onehot).sum(dim=(0, 2, 3))
        denom = prob.sum(dim=(0, 2, 3)) + onehot.sum(dim=(0, 2, 3))
        return 1 - (2 * inter / (denom + 1e-6)).mean()

    def forward(self, logits, target):
        ce = F.cross_entropy(logits, target, weight=self.weight)
        return ce + self.dice_factor * self.dice(logits, target)
