import copy

import torch
import torch.nn.functional as F
from torch import nn


class DQNAgent:
    def __init__(self, obs_dim, num_actions, hidden=64, lr=1e-3, gamma=0.97):
        self.q = nn.Sequential(
            nn.Linear(obs_dim, hidden), nn.ReLU(), nn.Linear(hidden, num_actions))
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.gamma = gamma
        self.num_actions = num_actions

    @torch.no_grad()
    def act(self, obs, epsilon, rng):
        if rng.random() < epsilon:
            return int(rng.integers(self.num_actions))
        return int(self.q(torch.from_numpy(obs)).argmax())

    def learn(self, batch):
        obs, act, rew, nxt, term = batch
        with torch.no_grad():
            best = self.target(nxt).max(-1).values
            goal = rew + self.gamma * (1 - term) * best
        value = self.q(obs).gather(1, act[:, None]).squeeze(1)
        loss = F.smooth_l1_loss(value, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def sync(self):
        self.target.load_state_dict(self.q.state_dict())
