import copy
import random

import torch
from torch import nn
import torch.nn.functional as F


class Dueling(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ReLU(),
                                  nn.Linear(hidden, hidden), nn.ReLU())
        self.value = nn.Linear(hidden, 1)
        self.adv = nn.Linear(hidden, n_actions)

    def forward(self, x):
        h = self.body(x)
        a = self.adv(h)
        return self.value(h) + a - a.mean(-1, keepdim=True)


class DQNAgent:
    def __init__(self, obs_dim, n_actions, hidden=64, lr=1e-3, gamma=0.97, tau=0.02):
        self.q = Dueling(obs_dim, n_actions, hidden)
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.gamma, self.tau, self.n_actions = gamma, tau, n_actions

    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(self.n_actions)
        with torch.no_grad():
            return int(self.q(torch.from_numpy(obs)).argmax())

    def learn(self, batch):
        q_sa = self.q(batch["obs"]).gather(1, batch["act"].unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = self.q(batch["nxt"]).argmax(1, keepdim=True)
            q_next = self.target(batch["nxt"]).gather(1, best).squeeze(1)
            y = batch["rew"] + self.gamma * (1 - batch["done"]) * q_next
        loss = F.huber_loss(q_sa, y)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(self.q.parameters(), 1.0)
        self.opt.step()
        for p, tp in zip(self.q.parameters(), self.target.parameters()):
            tp.lerp_(p.detach(), self.tau)
        return loss.item()
