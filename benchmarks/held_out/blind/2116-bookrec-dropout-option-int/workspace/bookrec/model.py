import torch
from torch import nn
import torch.nn.functional as F


class BPR(nn.Module):
    def __init__(self, n_users: int, n_items: int, dim: int, dropout: float):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(n_items, dim)
        self.bias = nn.Embedding(n_items, 1)
        self.drop = nn.Dropout(dropout)
        nn.init.normal_(self.user.weight, std=0.1)
        nn.init.normal_(self.item.weight, std=0.1)
        nn.init.zeros_(self.bias.weight)

    def score(self, u, i):
        return (self.drop(self.user(u)) * self.item(i)).sum(-1) + self.bias(i).squeeze(-1)

    def forward(self, u, pos, neg):
        return -F.logsigmoid(self.score(u, pos) - self.score(u, neg)).mean()

    def all_scores(self, u):
        return self.user(u) @ self.item.weight.T + self.bias.weight.squeeze(-1)
