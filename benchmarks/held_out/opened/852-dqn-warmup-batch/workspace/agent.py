import copy
import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class DQNAgent:
    def __init__(self, state_dim, n_actions, hidden, gamma, lr, target_update):
        self.n_actions = n_actions
        self.gamma = gamma
        self.target_update = target_update
        self.q = nn.Sequential(
            nn.Linear(state_dim, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, n_actions),
        )
        self.target = copy.deepcopy(self.q)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.updates = 0

    def act(self, state, eps):
        if random.random() < eps:
            return random.randrange(self.n_actions)
        with torch.no_grad():
            return self.q(torch.as_tensor(state).unsqueeze(0)).argmax(1).item()

    def update(self, batch):
        s, a, r, s2, done = batch
        q = self.q(s).gather(1, a).squeeze(1)
        with torch.no_grad():
            q_next = self.target(s2).max(1).values
            target = r + self.gamma * (1 - done) * q_next
        loss = F.smooth_l1_loss(q, target)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.updates += 1
        if self.updates % self.target_update == 0:
            self.target.load_state_dict(self.q.state_dict())
        return loss.item()
