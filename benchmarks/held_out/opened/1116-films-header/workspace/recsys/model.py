import torch
from torch import nn


class TwoTower(nn.Module):
    def __init__(self, n_users, catalog, dim, genre_dim):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(len(catalog), dim)
        self.genre = nn.Embedding(catalog.n_genres, genre_dim)
        self.item_tower = nn.Sequential(nn.Linear(dim + genre_dim + 1, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))
        self.bias = nn.Embedding(len(catalog), 1)
        nn.init.zeros_(self.bias.weight)
        self.register_buffer("item_genre", catalog.genre)
        self.register_buffer("item_year", catalog.year)

    def items(self, ids):
        feats = torch.cat([self.item(ids), self.genre(self.item_genre[ids]), self.item_year[ids].unsqueeze(-1)], -1)
        return self.item_tower(feats)

    def forward(self, users, items):
        u = self.user(users)
        while u.dim() < items.dim() + 1:
            u = u.unsqueeze(1)
        return (u * self.items(items)).sum(-1) + self.bias(items).squeeze(-1)

    @torch.no_grad()
    def recommend(self, users, k, exclude=None):
        scores = self.user(users) @ self.items(torch.arange(len(self.item_genre))).T + self.bias.weight.T
        for row, seen in enumerate(exclude or []):
            scores[row, list(seen)] = -torch.inf
        return scores.topk(k, dim=-1).indices
