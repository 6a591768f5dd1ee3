import torch
from torch import nn
from torch.nn import functional as F


class Router(nn.Module):
    def __init__(self, dim, n_experts, top_k, noise):
        super().__init__()
        self.score = nn.Linear(dim, n_experts, bias=False)
        self.top_k, self.noise = top_k, noise

    def forward(self, h):
        logits = self.score(h)
        if self.training and self.noise > 0:
            logits = logits + self.noise * torch.randn_like(logits)
        top, idx = logits.topk(self.top_k, dim=-1)
        gate = torch.zeros_like(logits).scatter(-1, idx, top.softmax(-1))
        importance = logits.softmax(-1).mean(0)
        share = (gate > 0).float().mean(0)
        return gate, logits.size(-1) * (importance * share).sum()


class Expert(nn.Sequential):
    def __init__(self, dim, hidden):
        super().__init__(nn.Linear(dim, hidden), nn.GELU(), nn.Dropout(0.05), nn.Linear(hidden, 1))


class MixtureRegressor(nn.Module):
    def __init__(self, n_numeric, cardinalities, cfg):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(n, cfg.embed_dim) for n in cardinalities)
        dim = n_numeric + cfg.embed_dim * len(cardinalities)
        self.norm = nn.LayerNorm(dim)
        self.router = Router(dim, cfg.n_experts, cfg.top_k, cfg.router_noise)
        self.experts = nn.ModuleList(Expert(dim, cfg.hidden) for _ in range(cfg.n_experts))

    def forward(self, num, cat):
        emb = [t(c) for t, c in zip(self.tables, cat.unbind(1))]
        h = self.norm(torch.cat([num, *emb], dim=1))
        gate, balance = self.router(h)
        out = h.new_zeros(len(h))
        for e, expert in enumerate(self.experts):
            rows = gate[:, e].nonzero(as_tuple=True)[0]
            if rows.numel():
                out = out.index_add(0, rows, gate[rows, e] * expert(h[rows]).squeeze(-1))
        return out, balance, gate


def objective(pred, target, balance, weight):
    return F.huber_loss(pred, target) + weight * balance
