import torch
import torch.nn as nn
import torch.nn.functional as F


class Tower(nn.Module):
    def __init__(self, n, dim, extra=0):
        super().__init__()
        self.emb = nn.Embedding(n, dim)
        self.mlp = nn.Sequential(nn.Linear(dim + extra, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))

    def forward(self, ids, extra=None):
        h = self.emb(ids)
        if extra is not None:
            h = torch.cat([h, extra], -1)
        return F.normalize(self.mlp(h), dim=-1)


class TwoTower(nn.Module):
    def __init__(self, n_users, n_items, dim, temp=0.1):
        super().__init__()
        self.n_items = n_items
        self.temp = temp
        self.user = Tower(n_users, dim, extra=2)
        self.item = Tower(n_items, dim)

    def clock(self, hour):
        a = hour.float() * (2 * torch.pi / 24)
        return torch.stack([a.sin(), a.cos()], -1)

    def forward(self, u, i, hour):
        q = self.user(u, self.clock(hour))
        k = self.item(i)
        return q @ k.t() / self.temp

    @torch.no_grad()
    def rank_all(self, u, hour):
        q = self.user(u, self.clock(hour))
        k = self.item(torch.arange(self.n_items))
        return q @ k.t()
