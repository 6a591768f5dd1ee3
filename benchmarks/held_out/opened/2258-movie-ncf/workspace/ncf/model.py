import torch
import torch.nn as nn


class NCF(nn.Module):
    """He et al. 2017, with a rating head in place of the implicit one."""

    def __init__(self, n_users, n_items, dim=16, layers=(32, 16)):
        super().__init__()
        self.gmf_user = nn.Embedding(n_users, dim)
        self.gmf_item = nn.Embedding(n_items, dim)
        self.mlp_user = nn.Embedding(n_users, dim)
        self.mlp_item = nn.Embedding(n_items, dim)
        mlp, width = [], 2 * dim
        for out in layers:
            mlp += [nn.Linear(width, out), nn.ReLU()]
            width = out
        self.mlp = nn.Sequential(*mlp)
        self.out = nn.Linear(dim + width, 1)
        for emb in (self.gmf_user, self.gmf_item, self.mlp_user, self.mlp_item):
            nn.init.normal_(emb.weight, std=0.05)

    def forward(self, user, item):
        gmf = self.gmf_user(user) * self.gmf_item(item)
        mlp = self.mlp(torch.cat([self.mlp_user(user), self.mlp_item(item)], dim=-1))
        return self.out(torch.cat([gmf, mlp], dim=-1)).squeeze(-1)
