import copy

import torch
from torch import nn
from torch.nn.functional import smooth_l1_loss


def mlp(sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class DQN:
    def __init__(self, obs_dim, n_actions, hidden, lr, gamma):
        self.n_actions = n_actions
        self.gamma = gamma
        self.q = mlp([obs_dim, *hidden, n_actions])
        self.target = copy.deepcopy(self.q)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)

    @torch.no_grad()
    def act(self, obs, eps):
        if torch.rand(()) < eps:
            return int(torch.randint(self.n_actions, ()))
        return int(self.q(torch.from_numpy(obs)).argmax())

    def update(self, batch):
        obs, actions, rewards, next_obs, dones = batch
        q = self.q(obs).gather(1, actions.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = self.target(next_obs).max(1).values
            y = rewards + self.gamma * (1 - dones) * best
        loss = smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def sync(self):
        self.target.load_state_dict(self.q.state_dict())
