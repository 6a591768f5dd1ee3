import torch
from torch import nn


class HybridScorer(nn.Module):
    def __init__(self, n_customers, n_items, n_categories, dim=24, category_dim=6):
        super().__init__()
        self.customer = nn.Embedding(n_customers, dim)
        self.item = nn.Embedding(n_items, dim)
        self.category = nn.Embedding(n_categories, category_dim)
        self.content = nn.Sequential(nn.Linear(category_dim + 1, dim), nn.Tanh())
        self.bias = nn.Embedding(n_items, 1)
        for emb in (self.customer, self.item):
            nn.init.normal_(emb.weight, std=0.05)
        nn.init.zeros_(self.bias.weight)

    def item_vector(self, item, category, price):
        side = torch.cat([self.category(category), price[:, None]], dim=1)
        return self.item(item) + self.content(side)

    def forward(self, customer, item, category, price):
        score = (self.customer(customer) * self.item_vector(item, category, price)).sum(1)
        return score + self.bias(item).squeeze(1)
