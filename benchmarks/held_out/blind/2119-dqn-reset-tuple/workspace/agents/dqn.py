import copy

import numpy as np
import torch
from torch import nn


def q_network(obs_dim, n_actions, hidden):
    return nn.Sequential(
        nn.Linear(obs_dim, hidden), nn.ReLU(),
        nn.Linear(hidden, hidden), nn.ReLU(),
        nn.Linear(hidden, n_actions),
    )


class DQNAgent:
    def __init__(self, obs_dim, n_actions, cfg, rng):
        self.n_actions = n_actions
        self.gamma = cfg["gamma"]
        self.rng = rng
        self.q = q_network(obs_dim, n_actions, cfg["hidden"])
        self.target = copy.deepcopy(self.q)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=cfg["lr"])

    def act(self, obs, eps):
        if self.rng.random() < eps:
            return int(self.rng.integers(self.n_actions))
        with torch.no_grad():
            return int(self.q(torch.as_tensor(obs, dtype=torch.float32)).argmax())

    def update(self, batch):
        obs, actions, rewards, next_obs, dones = batch
        q = self.q(obs).gather(1, actions[:, None]).squeeze(1)
        with torch.no_grad():
            best = self.target(next_obs).max(1).values
            goal = rewards + self.gamma * (1 - dones) * best
        loss = nn.functional.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def sync(self):
        self.target.load_state_dict(self.q.state_dict())
