import torch
import torch.nn as nn


class Policy(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, 2)

    def forward(self, s):
        return self.pi(self.body(s))

    def dist(self, s):
        return torch.distributions.Categorical(logits=self(s))


def save(policy, path):
    torch.save({"policy": policy.state_dict()}, path)
    print("saved", path)


def load_into(policy, path):
    checkpoint = torch.load(path, map_location="cpu")
    policy.load_state_dict(checkpoint["policy"])
    return policy
