from itertools import groupby

import torch
from torch import nn


class Wide(nn.Module):
    """Dilated residual block, masked so that padding does not leak into short messages."""

    def __init__(self, ch, dilation):
        super().__init__()
        self.conv = nn.Conv1d(ch, ch, 5, padding=2 * dilation, dilation=dilation)
        self.norm = nn.BatchNorm1d(ch)

    def forward(self, h, mask):
        return h + torch.relu(self.norm(self.conv(h * mask)))


class MorseNet(nn.Module):
    def __init__(self, bands, n_symbols, channels, stride, dilations):
        super().__init__()
        self.stride = stride
        self.front = nn.Sequential(
            nn.Conv1d(bands, channels, 7, stride=stride, padding=3), nn.BatchNorm1d(channels), nn.ReLU()
        )
        self.body = nn.ModuleList(Wide(channels, d) for d in dilations)
        self.out = nn.Linear(channels, n_symbols)

    def out_lengths(self, frames):
        return torch.div(frames - 1, self.stride, rounding_mode="floor") + 1

    def forward(self, x, frames):
        h = self.front(x.transpose(1, 2))
        steps = self.out_lengths(frames)
        mask = (torch.arange(h.size(-1)) < steps.unsqueeze(1)).unsqueeze(1)
        for block in self.body:
            h = block(h, mask)
        return self.out(h.transpose(1, 2)).log_softmax(-1), steps


def greedy(logp, steps, charset):
    texts = []
    for row, n in zip(logp.argmax(-1), steps):
        ids = [k for k, _ in groupby(row[:n].tolist()) if k]
        texts.append("".join(charset[k - 1] for k in ids))
    return texts


def edit_distance(a, b):
    prev = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        cur = [i]
        for j, cb in enumerate(b, 1):
            cur.append(min(prev[j] + 1, cur[-1] + 1, prev[j - 1] + (ca != cb)))
        prev = cur
    return prev[-1]
