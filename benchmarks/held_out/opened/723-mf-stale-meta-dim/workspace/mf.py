import torch
from torch import nn


class MatrixFactorization(nn.Module):
    def __init__(self, n_users, n_items, dim, mean=0.0):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(n_items, dim)
        self.user_bias = nn.Embedding(n_users, 1)
        self.item_bias = nn.Embedding(n_items, 1)
        self.mean = mean
        for p in self.parameters():
            nn.init.normal_(p, std=0.05)

    def forward(self, u, i):
        dot = (self.user(u) * self.item(i)).sum(-1)
        return dot + self.user_bias(u).squeeze(-1) + self.item_bias(i).squeeze(-1) + self.mean

    def scores(self, u):
        all_items = torch.arange(self.item.num_embeddings)
        return self(torch.full_like(all_items, u), all_items)
