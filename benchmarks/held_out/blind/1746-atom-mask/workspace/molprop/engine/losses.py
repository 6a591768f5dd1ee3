import torch


def masked_mse(pred, target):
    """Not every property was measured for every molecule: NaN targets do not count."""
    known = ~torch.isnan(target)
    diff = pred[known] - target[known]
    return diff.pow(2).mean()


def masked_mae_per_task(pred, target):
    known = ~torch.isnan(target)
    err = torch.where(known, (pred - target).abs(), torch.zeros_like(pred))
    return err.sum(dim=0) / known.sum(dim=0).clamp(min=1)
