import torch
import torch.nn as nn


class SeqRec(nn.Module):
    """GRU over the history + user bias vector, dot product with item embeddings"""

    def __init__(self, n_users, n_items, dim=32, dropout=0.1):
        super().__init__()
        self.item_emb = nn.Embedding(n_items, dim, padding_idx=0)
        self.user_emb = nn.Embedding(n_users, dim)
        self.gru = nn.GRU(dim, dim, batch_first=True)
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(2 * dim, dim)
        nn.init.normal_(self.user_emb.weight, std=0.05)

    def query(self, user, hist):
        x = self.drop(self.item_emb(hist))
        _, h = self.gru(x)
        q = torch.cat([h[-1], self.user_emb(user)], dim=-1)
        return self.out(q)

    def forward(self, user, hist, cand):
        q = self.query(user, hist)
        e = self.item_emb(cand)
        return torch.einsum("bd,bkd->bk", q, e)

    def score_all(self, user, hist):
        return self.query(user, hist) @ self.item_emb.weight.t()
