from torch import nn

from shoprec.models import register


@register("gru4rec")
class GRU4Rec(nn.Module):
    def __init__(self, n_items, max_len, dim=32, hidden=48):
        super().__init__()
        self.items = nn.Embedding(n_items, dim, padding_idx=0)
        self.gru = nn.GRU(dim, hidden, batch_first=True)
        self.proj = nn.Linear(hidden, dim)

    def encode(self, seq):
        out, _ = self.gru(self.items(seq))
        return self.proj(out)

    def forward(self, seq, pos, neg):
        h = self.encode(seq)
        return (h * self.items(pos)).sum(-1), (h * self.items(neg)).sum(-1)

    def rank_scores(self, seq):
        return self.encode(seq)[:, -1] @ self.items.weight.T
