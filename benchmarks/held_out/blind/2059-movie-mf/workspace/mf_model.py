import torch
import torch.nn as nn


class BiasedMF(nn.Module):
    """r_hat = mu + b_u + b_i + <p_u, q_i>"""

    def __init__(self, n_users, n_items, dim, mean):
        super().__init__()
        self.p = nn.Embedding(n_users, dim)
        self.q = nn.Embedding(n_items, dim)
        self.bu = nn.Embedding(n_users, 1)
        self.bi = nn.Embedding(n_items, 1)
        self.register_buffer("mu", torch.tensor(mean))
        for emb in (self.p, self.q):
            nn.init.normal_(emb.weight, std=0.1)
        for emb in (self.bu, self.bi):
            nn.init.zeros_(emb.weight)

    def forward(self, user, item):
        pu = self.p(user)
        qi = self.q(item)
        bias = self.bu(user).squeeze(-1) + self.bi(item).squeeze(-1)
        return self.mu + bias + (pu * qi).sum(-1)
