import torch
import torch.nn.functional as F
from torch import nn


class CEDiceLoss(nn.Module):
    def __init__(self, n_classes, class_weights=None, dice_weight=0.5, ignore_index=-100):
        super().__init__()
        self.n_classes = n_classes
        self.dice_weight = dice_weight
        self.ignore_index = ignore_index
        w = None if class_weights is None else torch.tensor(class_weights)
        self.register_buffer("class_weights", w)

    def dice(self, logits, target):
        valid = target != self.ignore_index
        t = torch.where(valid, target, torch.zeros_like(target))
        onehot = F.one_hot(t, self.n_classes).permute(0, 3, 1, 2).float() * valid[:, None]
        p = logits.softmax(1) * valid[:, None]
        inter = (p * onehot).sum((0, 2, 3))
        denom = p.sum((0, 2, 3)) + onehot.sum((0, 2, 3))
        return 1 - ((2 * inter + 1) / (denom + 1)).mean()

    def forward(self, logits, target):
        ce = F.cross_entropy(logits, target, weight=self.class_weights, ignore_index=self.ignore_index)
        return ce + self.dice_weight * self.dice(logits, target)


def build_loss(cfg, n_classes):
    if cfg["name"] != "ce_dice":
        raise ValueError(f"unknown loss {cfg['name']}")
    return CEDiceLoss(
        n_classes,
        class_weights=cfg.get("class_weights"),
        dice_weight=cfg.get("dice_weight", 0.5),
        ignore_index=cfg.get("ignore_label", -100),
    )
