import torch
from torch import nn


class NeuMF(nn.Module):
    def __init__(self, n_users, n_items, dim):
        super().__init__()
        self.user_gmf = nn.Embedding(n_users, dim)
        self.item_gmf = nn.Embedding(n_items, dim)
        self.user_mlp = nn.Embedding(n_users, dim)
        self.item_mlp = nn.Embedding(n_items, dim)
        self.mlp = nn.Sequential(
            nn.Linear(2 * dim, 2 * dim), nn.ReLU(),
            nn.Linear(2 * dim, dim), nn.ReLU(),
        )
        self.out = nn.Linear(2 * dim, 1)
        for emb in (self.user_gmf, self.item_gmf, self.user_mlp, self.item_mlp):
            nn.init.normal_(emb.weight, std=0.05)

    def forward(self, users, items):
        gmf = self.user_gmf(users) * self.item_gmf(items)
        mlp = self.mlp(torch.cat([self.user_mlp(users), self.item_mlp(items)], dim=-1))
        return self.out(torch.cat([gmf, mlp], dim=-1)).squeeze(-1)
