import copy
import torch
from torch import nn


class Agent:
    def __init__(self, obs_dim, n_actions, hp):
        self.hp = hp
        self.n_actions = n_actions
        self.q = nn.Sequential(nn.Linear(obs_dim, hp.hidden), nn.ReLU(),
                               nn.Linear(hp.hidden, hp.hidden), nn.ReLU(),
                               nn.Linear(hp.hidden, n_actions))
        self.target = copy.deepcopy(self.q)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=hp.lr)
        self.updates = 0

    def act(self, obs, eps, rng):
        if rng.random() < eps:
            return int(rng.integers(self.n_actions))
        with torch.no_grad():
            return int(self.q(torch.from_numpy(obs)).argmax())

    def learn(self, s, a, r, s2, d):
        with torch.no_grad():
            best = self.q(s2).argmax(1, keepdim=True)
            nxt = self.target(s2).gather(1, best).squeeze(1)
            y = r + self.hp.gamma * (1 - d) * nxt
        q = self.q(s).gather(1, a[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.updates += 1
        if self.updates % self.hp.sync == 0:
            self.target.load_state_dict(self.q.state_dict())
        return loss.item()
