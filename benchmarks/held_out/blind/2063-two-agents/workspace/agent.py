import copy
import random

import torch
import torch.nn as nn

from replay import ReplayBuffer


class DQNAgent:
    def __init__(self, obs_dim, n_actions, lr=2e-3, gamma=0.95, capacity=2000, batch_size=32):
        self.n_actions = n_actions
        self.gamma = gamma
        self.batch_size = batch_size
        self.q = nn.Sequential(nn.Linear(obs_dim, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(),
                               nn.Linear(48, n_actions))
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.memory = ReplayBuffer(capacity)
        self.updates = 0

    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(self.n_actions)
        with torch.no_grad():
            return int(self.q(torch.from_numpy(obs)).argmax())

    def remember(self, *transition):
        self.memory.push(*transition)

    def learn(self):
        if len(self.memory) < 4 * self.batch_size:
            return None
        obs, action, reward, next_obs, done = self.memory.sample(self.batch_size)
        with torch.no_grad():
            boot = self.target(next_obs).max(1).values
            y = reward + self.gamma * (1 - done) * boot
        pred = self.q(obs).gather(1, action[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(pred, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.updates += 1
        if self.updates % 100 == 0:
            self.target.load_state_dict(self.q.state_dict())
        return loss.item()
