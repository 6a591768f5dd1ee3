import torch.nn.functional as F


def dice_loss(logits, target, eps=1.0):
    probs = logits.softmax(1)
    onehot = F.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2).float()
    inter = (probs * onehot).sum((2, 3))
    total = probs.sum((2, 3)) + onehot.sum((2, 3))
    return 1 - ((2 * inter + eps) / (total + eps)).mean()


def combined(logits, target, dice_weight, ce_weight):
    return dice_weight * dice_loss(logits, target) + ce_weight * F.cross_entropy(logits, target)
