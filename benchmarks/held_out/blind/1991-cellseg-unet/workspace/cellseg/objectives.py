import torch
import torch.nn.functional as F


def soft_dice(logits, target, eps=1.0):
    classes = logits.shape[1]
    probs = logits.softmax(dim=1)
    onehot = F.one_hot(target, classes).permute(0, 3, 1, 2).float()
    inter = (probs * onehot).sum(dim=(0, 2, 3))
    denom = probs.sum(dim=(0, 2, 3)) + onehot.sum(dim=(0, 2, 3))
    return 1 - ((2 * inter + eps) / (denom + eps)).mean()


def segmentation_loss(logits, target, dice_weight):
    ce = F.cross_entropy(logits, target)
    return (1 - dice_weight) * ce + dice_weight * soft_dice(logits, target)


@torch.no_grad()
def confusion(logits, target):
    classes = logits.shape[1]
    pred = logits.argmax(1)
    return torch.bincount((target * classes + pred).flatten(), minlength=classes ** 2).view(classes, classes)


def mean_iou(conf):
    conf = conf.float()
    inter = conf.diag()
    union = conf.sum(0) + conf.sum(1) - inter
    return (inter / union.clamp(min=1)), (inter / union.clamp(min=1)).mean().item()
