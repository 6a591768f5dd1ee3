import torch

from .. import models  # noqa: F401
from ..registry import MODELS


def build_model(cfg):
    return MODELS.build(cfg["model"], classes=cfg["data"]["classes"])


def build_optimizer(spec, model):
    spec = dict(spec)
    cls = getattr(torch.optim, spec.pop("type"))
    decay, no_decay = [], []
    for p in model.parameters():
        (decay if p.ndim > 1 else no_decay).append(p)
    return cls([{"params": decay, "weight_decay": 5e-4}, {"params": no_decay, "weight_decay": 0.0}], **spec)


def build_schedule(spec, optimizer, epochs, steps_per_epoch):
    return torch.optim.lr_scheduler.OneCycleLR(optimizer, total_steps=epochs * steps_per_epoch, **spec)
