import torch
import torch.nn as nn


class Expert(nn.Module):
    def __init__(self, n_in, n_hidden):
        super().__init__()
        self.lin1 = nn.Linear(n_in, n_hidden)
        self.lin2 = nn.Linear(n_hidden, n_hidden)

    def forward(self, x):
        return torch.tanh(self.lin2(torch.tanh(self.lin1(x))))


class MixtureOfExperts(nn.Module):
    """Soft mixture; the gate looks at the same input as the experts."""

    def __init__(self, n_in, n_hidden, n_experts):
        super().__init__()
        self.gate = nn.Linear(n_in, n_experts)
        self.experts = [Expert(n_in, n_hidden) for _ in range(n_experts)]

    def forward(self, x):
        w = self.gate(x).softmax(-1)
        h = torch.stack([e(x) for e in self.experts], dim=1)
        return (w.unsqueeze(-1) * h).sum(1)
