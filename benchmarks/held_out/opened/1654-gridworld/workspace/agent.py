import copy
import random

import torch
import torch.nn.functional as F
from torch import nn


class QNet(nn.Module):
    def __init__(self, obs_dim, n_actions, scale, hidden=64):
        super().__init__()
        self.scale = scale
        self.layers = nn.Sequential(
            nn.Linear(obs_dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, n_actions)
        )

    def forward(self, x):
        return self.layers(x / self.scale * 2 - 1)


class DQNAgent:
    def __init__(self, env, gamma=0.95, lr=1e-3, seed=0):
        self.q = QNet(env.obs_dim, env.n_actions, env.size - 1)
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.gamma = gamma
        self.n_actions = env.n_actions
        self.random = random.Random(seed)

    @torch.no_grad()
    def act(self, obs, eps=0.0):
        if self.random.random() < eps:
            return self.random.randrange(self.n_actions)
        return int(self.q(torch.from_numpy(obs)[None]).argmax(1))

    def learn(self, batch):
        obs, action, reward, next_obs, done = batch
        q = self.q(obs).gather(1, action[:, None]).squeeze(1)
        with torch.no_grad():
            best = self.q(next_obs).argmax(1, keepdim=True)
            bootstrap = self.target(next_obs).gather(1, best).squeeze(1)
            target = reward + self.gamma * (1 - done) * bootstrap
        loss = F.smooth_l1_loss(q, target)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def sync(self):
        self.target.load_state_dict(self.q.state_dict())
