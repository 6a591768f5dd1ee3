import copy
import random

import torch
import torch.nn.functional as F
from torch import nn


class DQNAgent:
    def __init__(self, obs_dim, n_actions, scale, lr=2e-3, gamma=0.95, hidden=64):
        self.n_actions = n_actions
        self.scale = scale
        self.gamma = gamma
        self.online = nn.Sequential(
            nn.Linear(obs_dim, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, n_actions),
        )
        self.target = copy.deepcopy(self.online)
        self.opt = torch.optim.Adam(self.online.parameters(), lr=lr)

    @torch.no_grad()
    def act(self, state, epsilon=0.0):
        if random.random() < epsilon:
            return random.randrange(self.n_actions)
        return int(self.online(torch.from_numpy(state) / self.scale).argmax())

    def learn(self, batch):
        state, action, reward, next_state, terminal = batch
        q = self.online(state / self.scale).gather(1, action[:, None])[:, 0]
        with torch.no_grad():
            best = self.target(next_state / self.scale).max(1).values
            goal = reward + self.gamma * (1 - terminal) * best
        loss = F.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())
