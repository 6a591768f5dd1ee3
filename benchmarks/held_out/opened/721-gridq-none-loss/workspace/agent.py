import copy
import random

import torch
import torch.nn as nn

from replay import ReplayBuffer


class DQNAgent:
    def __init__(self, n_obs, n_actions, lr=5e-3, gamma=0.95, batch=32, capacity=2000):
        self.n_actions = n_actions
        self.gamma, self.batch = gamma, batch
        self.q = nn.Sequential(nn.Linear(n_obs, 48), nn.ReLU(), nn.Linear(48, n_actions))
        self.target = copy.deepcopy(self.q)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.memory = ReplayBuffer(capacity)

    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(self.n_actions)
        with torch.no_grad():
            return self.q(torch.from_numpy(obs).unsqueeze(0)).argmax(1).item()

    def learn(self):
        if len(self.memory) < self.batch:
            return None
        obs, action, reward, next_obs, done = self.memory.sample(self.batch)
        q = self.q(obs).gather(1, action).squeeze(1)
        with torch.no_grad():
            best = self.target(next_obs).max(dim=1).values
            goal = reward + self.gamma * best * (1 - done)
        loss = nn.functional.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def sync(self):
        self.target.load_state_dict(self.q.state_dict())
