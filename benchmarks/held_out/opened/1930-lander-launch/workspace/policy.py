import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, history, n_actions=3, width=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(history, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.pi = nn.Linear(width, n_actions)
        self.v = nn.Linear(width, 1)

    def forward(self, obs):
        h = self.body(obs * 4)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)
