import torch
import torch.nn as nn
import torch.nn.functional as F


class Tower(nn.Module):
    def __init__(self, n_ids, n_side, n_num, dim):
        super().__init__()
        self.id_emb = nn.Embedding(n_ids, dim)
        self.side_emb = nn.Embedding(n_side, dim // 2)
        self.mlp = nn.Sequential(nn.Linear(dim + dim // 2 + n_num, dim), nn.ReLU(), nn.Linear(dim, dim))

    def forward(self, ids, side, num):
        h = torch.cat([self.id_emb(ids), self.side_emb(side), num], dim=-1)
        return F.normalize(self.mlp(h), dim=-1)


class TwoTower(nn.Module):
    def __init__(self, n_users, n_items, n_countries, n_categories, dim=16, temperature=0.1):
        super().__init__()
        self.user = Tower(n_users, n_countries, 1, dim)
        self.item = Tower(n_items, n_categories, 2, dim)
        self.temperature = temperature

    def in_batch_loss(self, u, v, log_q):
        logits = u @ v.T / self.temperature - log_q[None, :]
        return F.cross_entropy(logits, torch.arange(len(u)))
