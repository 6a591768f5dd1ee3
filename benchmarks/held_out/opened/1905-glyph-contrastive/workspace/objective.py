import torch
import torch.nn.functional as F


def info_nce(za, zb, tau):
    """symmetric InfoNCE, negatives from the other view only"""
    logits = za @ zb.T / tau
    target = torch.arange(len(za))
    return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target))
