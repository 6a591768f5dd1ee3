import copy
import random

import torch
from torch import nn


class DQNAgent:
    def __init__(self, n_obs, n_actions, hidden=48, gamma=0.97, lr=2e-3, seed=0):
        torch.manual_seed(seed)
        self.n_actions, self.gamma = n_actions, gamma
        self.rng = random.Random(seed)
        self.q = nn.Sequential(
            nn.Linear(n_obs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, n_actions))
        self.target = copy.deepcopy(self.q)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)

    def act(self, obs, epsilon):
        if self.rng.random() < epsilon:
            return self.rng.randint(0, self.n_actions)
        with torch.no_grad():
            return int(self.q(torch.tensor(obs)).argmax())

    def learn(self, batch):
        obs, act, rew, nxt, done = batch
        q = self.q(obs).gather(1, act[:, None]).squeeze(1)
        with torch.no_grad():
            best = self.q(nxt).argmax(1, keepdim=True)
            goal = rew + self.gamma * (1 - done) * self.target(nxt).gather(1, best).squeeze(1)
        loss = nn.functional.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def sync(self):
        self.target.load_state_dict(self.q.state_dict())
