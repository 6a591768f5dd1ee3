import torch
import torch.nn.functional as F
from torch import nn


class TwoTower(nn.Module):
    def __init__(self, n_users, n_tracks, dim=32, temperature=0.1):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.track = nn.Embedding(n_tracks + 1, dim, padding_idx=0)
        self.query = nn.Sequential(nn.Linear(2 * dim, 64), nn.ReLU(), nn.Linear(64, dim))
        self.temperature = temperature

    def encode_query(self, users, context):
        mask = (context > 0).unsqueeze(-1)
        pooled = (self.track(context) * mask).sum(1) / mask.sum(1)
        return F.normalize(self.query(torch.cat([self.user(users), pooled], dim=1)), dim=1)

    def encode_track(self, tracks):
        return F.normalize(self.track(tracks), dim=1)

    def forward(self, users, context, target):
        scores = self.encode_query(users, context) @ self.encode_track(target).T / self.temperature
        same = target[:, None] == target[None, :]
        same.fill_diagonal_(False)
        return scores.masked_fill(same, -1e9)
