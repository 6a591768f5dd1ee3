import torch
import torch.nn.functional as F
from torch import nn


class Expert(nn.Sequential):
    def __init__(self, dim, hidden):
        super().__init__(nn.Linear(dim, hidden), nn.SiLU(), nn.Linear(hidden, dim))


class MoE(nn.Module):
    def __init__(self, dim, hidden, experts, top_k):
        super().__init__()
        self.router = nn.Linear(dim, experts, bias=False)
        self.experts = nn.ModuleList(Expert(dim, hidden) for _ in range(experts))
        self.top_k = top_k
        self.balance = None

    def forward(self, x):
        flat = x.reshape(-1, x.size(-1))
        probs = self.router(flat).softmax(-1)
        weight, choice = probs.topk(self.top_k, dim=-1)
        weight = weight / weight.sum(-1, keepdim=True)
        out = torch.zeros_like(flat)
        for e, expert in enumerate(self.experts):
            rows, slot = (choice == e).nonzero(as_tuple=True)
            if rows.numel():
                out = out.index_add(0, rows, expert(flat[rows]) * weight[rows, slot, None])
        load = F.one_hot(choice[:, 0], len(self.experts)).float().mean(0)
        self.balance = len(self.experts) * (load * probs.mean(0)).sum()
        return out.view_as(x)


class MoEClassifier(nn.Module):
    def __init__(self, features, classes, dim=128, hidden=256, depth=2, experts=4, top_k=1):
        super().__init__()
        self.inp = nn.Linear(features, dim)
        self.layers = nn.ModuleList(MoE(dim, hidden, experts, top_k) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.out = nn.Linear(dim, classes)

    def forward(self, x):
        h = self.inp(x)
        for norm, moe in zip(self.norms, self.layers):
            h = h + moe(norm(h))
        return self.out(h), sum(m.balance for m in self.layers)
