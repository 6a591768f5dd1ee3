import torch
import torch.nn as nn


def patchify(images, patch):
    """(B, C, H, W) -> (B, N, patch * patch * C)"""
    b, c, h, w = images.shape
    gh, gw = h // patch, w // patch
    x = images.reshape(b, c, gh, patch, gw, patch)
    x = x.permute(0, 2, 4, 3, 5, 1)
    return x.reshape(b, gh * gw, patch * patch * c)


def unpatchify(tokens, patch, channels):
    """(B, N, patch * patch * C) -> (B, C, H, W)"""
    b, n, _ = tokens.shape
    g = int(n ** 0.5)
    x = tokens.reshape(b, g, g, patch, patch, channels)
    x = x.permute(0, 5, 1, 3, 2, 4)
    return x.view(b, channels, g * patch, g * patch)


def random_masking(tokens, ratio):
    b, n, d = tokens.shape
    keep = int(n * (1 - ratio))
    order = torch.rand(b, n, device=tokens.device).argsort(dim=1)
    restore = order.argsort(dim=1)
    kept = torch.gather(tokens, 1, order[:, :keep, None].expand(-1, -1, d))
    mask = torch.ones(b, n, device=tokens.device)
    mask[:, :keep] = 0
    return kept, torch.gather(mask, 1, restore), restore


class LearnedPositions(nn.Module):
    def __init__(self, n, dim):
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(1, n, dim))

    def forward(self, x):
        return x + self.table
