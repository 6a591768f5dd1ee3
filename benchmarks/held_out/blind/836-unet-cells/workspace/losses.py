import torch
import torch.nn as nn
import torch.nn.functional as F


class CEDiceLoss(nn.Module):
    def __init__(self, class_weights, dice_weight=0.5, eps=1.0):
        super().__init__()
        self.register_buffer("w", torch.tensor(class_weights))
        self.dice_weight = dice_weight
        self.eps = eps

    def forward(self, logits, target):
        ce = F.cross_entropy(logits, target, weight=self.w)
        probs = logits.softmax(dim=1)
        onehot = F.one_hot(target, probs.size(1)).permute(0, 3, 1, 2).float()
        inter = (probs * onehot).sum(dim=(0, 2, 3))
        union = (probs + onehot).sum(dim=(0, 2, 3))
        dice = 1 - ((2 * inter + self.eps) / (union + self.eps)).mean()
        return ce + self.dice_weight * dice
