import torch.nn.functional as F


def soft_dice(logits, target, eps=1e-6):
    num_classes = logits.shape[1]
    probs = logits.softmax(dim=1)
    onehot = F.one_hot(target, num_classes).permute(0, 3, 1, 2).float()
    dims = (0, 2, 3)
    inter = (probs * onehot).sum(dims)
    total = probs.sum(dims) + onehot.sum(dims)
    return 1.0 - ((2 * inter + eps) / (total + eps)).mean()


class SegLoss:
    def __init__(self, ce_weight, dice_weight):
        self.ce_weight = ce_weight
        self.dice_weight = dice_weight

    def __call__(self, logits, target):
        loss = self.dice_weight * soft_dice(logits, target)
        loss = loss + self.ce_weight * F.cross_entropy(logits, target)
        return loss
