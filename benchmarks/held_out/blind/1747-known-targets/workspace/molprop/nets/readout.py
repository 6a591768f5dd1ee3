import torch
from torch import nn


class MeanReadout(nn.Module):
    def __init__(self, dim):
        super().__init__()

    def forward(self, h, mask):
        w = mask.unsqueeze(-1).float()
        return (h * w).sum(dim=1) / w.sum(dim=1)


class AttentionReadout(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(dim, dim // 2), nn.Tanh(), nn.Linear(dim // 2, 1))

    def forward(self, h, mask):
        s = self.score(h).squeeze(-1).masked_fill(~mask, float("-inf"))
        a = torch.softmax(s, dim=1)
        return torch.einsum("bn,bnd->bd", a, h)


READOUTS = {"mean": MeanReadout, "attention": AttentionReadout}
