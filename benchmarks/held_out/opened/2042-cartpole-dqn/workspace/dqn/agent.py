import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(sizes):
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(nn.ReLU())
    return nn.Sequential(*layers)


class DQNAgent:
    def __init__(self, obs_dim, n_actions, hidden, gamma, lr, weight_decay, tau, double_q):
        self.n_actions = n_actions
        self.gamma = gamma
        self.tau = tau
        self.double_q = double_q
        self.q = mlp([obs_dim, *hidden, n_actions])
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.opt = torch.optim.AdamW(self.q.parameters(), lr=lr, weight_decay=weight_decay)

    @torch.no_grad()
    def act(self, obs, eps, rng):
        if rng.random() < eps:
            return int(rng.integers(self.n_actions))
        return int(self.q(torch.as_tensor(obs)).argmax())

    def update(self, batch):
        obs, act, rew, nxt, done = batch
        q = self.q(obs).gather(1, act[:, None]).squeeze(1)
        with torch.no_grad():
            if self.double_q:
                best = self.q(nxt).argmax(dim=1, keepdim=True)
                q_next = self.target(nxt).gather(1, best).squeeze(1)
            else:
                q_next = self.target(nxt).max(dim=1).values
            y = rew + self.gamma * (1.0 - done) * q_next
        loss = F.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        self.opt.step()
        with torch.no_grad():
            for p, tp in zip(self.q.parameters(), self.target.parameters()):
                tp.lerp_(p, self.tau)
        return loss.item()
