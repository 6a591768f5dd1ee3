import torch
import torch.nn.functional as F


def dice_loss(logits, target, eps=1.0):
    p = torch.sigmoid(logits).flatten(1)
    t = target.flatten(1)
    inter = (p * t).sum(1)
    return (1 - (2 * inter + eps) / (p.sum(1) + t.sum(1) + eps)).mean()


def combined(logits, target, bce_weight):
    bce = F.binary_cross_entropy_with_logits(logits, target)
    return bce_weight * bce + (1 - bce_weight) * dice_loss(logits, target)


@torch.no_grad()
def iou(logits, target, thr=0.5):
    p = torch.sigmoid(logits) > thr
    t = target > 0.5
    inter = (p & t).flatten(1).sum(1).float()
    union = (p | t).flatten(1).sum(1).float().clamp(min=1)
    return (inter / union).mean().item()
