from dataclasses import dataclass, field

import torch
from torch import nn
from torch.distributions import Categorical


class RecurrentActorCritic(nn.Module):
    def __init__(self, obs_size, n_actions, hidden=48):
        super().__init__()
        self.hidden = hidden
        self.enc = nn.Sequential(nn.Linear(obs_size, hidden), nn.ELU())
        self.cell = nn.GRUCell(hidden, hidden)
        self.pi = nn.Linear(hidden, n_actions)
        self.v = nn.Linear(hidden, 1)
        nn.init.orthogonal_(self.pi.weight, 0.01)

    def initial_state(self, n):
        return torch.zeros(n, self.hidden)

    def forward(self, obs, state):
        state = self.cell(self.enc(obs), state)
        return Categorical(logits=self.pi(state)), self.v(state).squeeze(-1), state


@dataclass
class Segment:
    logp: list = field(default_factory=list)
    value: list = field(default_factory=list)
    entropy: list = field(default_factory=list)
    reward: list = field(default_factory=list)
    alive: list = field(default_factory=list)

    def add(self, **kw):
        for k, v in kw.items():
            getattr(self, k).append(v)

    def stacked(self, name):
        return torch.stack(getattr(self, name))


def gae(reward, value, alive, last_value, gamma, lam):
    adv = torch.zeros_like(reward)
    run = torch.zeros_like(last_value)
    nxt = last_value
    for t in range(len(reward) - 1, -1, -1):
        delta = reward[t] + gamma * nxt * alive[t] - value[t]
        run = delta + gamma * lam * alive[t] * run
        adv[t] = run
        nxt = value[t]
    return adv
