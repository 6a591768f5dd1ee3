import math

from torch.optim import SGD, AdamW
from torch.optim.lr_scheduler import LambdaLR, StepLR


def build_optimizer(model, kind, lr, weight_decay=0.01):
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        (no_decay if p.ndim < 2 or "emb" in name else decay).append(p)
    groups = [
        {"params": decay, "weight_decay": weight_decay},
        {"params": no_decay, "weight_decay": 0.0},
    ]
    if kind == "adamw":
        return AdamW(groups, lr=lr)
    if kind == "sgd":
        return SGD(groups, lr=lr, momentum=0.9)
    raise ValueError(f"unknown optimizer {kind!r}")


def build_schedule(opt, kind, total_steps, warmup=0):
    """Per-step learning rate schedule; 'none' switches it off."""
    if kind == "none":
        return None

    if kind == "step":
        return StepLR(opt, step_size=max(1, total_steps // 3), gamma=0.3)

    if kind == "cosine":
        def factor(step):
            if step < warmup:
                return (step + 1) / warmup
            t = (step - warmup) / max(1, total_steps - warmup)
            return 0.5 * (1 + math.cos(math.pi * min(1.0, t)))

        LambdaLR(opt, factor)
    elif kind == "linear":
        return LambdaLR(opt, lambda s: min((s + 1) / max(1, warmup), max(0.0, 1 - s / total_steps)))
    else:
        raise ValueError(f"unknown schedule {kind!r}")
