"""Data, network and objective of the two tasks: machine state (3 classes) and tool wear (0..1)."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import Dataset


class SensorDataset(Dataset):
    n_channels = 10
    n_states = 3

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.state = torch.randint(self.n_states, (n,), generator=g)
        self.wear = torch.rand(n, generator=g)
        base = torch.linspace(-1, 1, self.n_channels)
        centres = torch.stack([base, base.flip(0), base.abs() - 0.5])
        x = centres[self.state] + self.wear[:, None] * torch.cos(3 * base)
        self.x = x + 0.2 * torch.randn(n, self.n_channels, generator=g)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.state[i], self.wear[i]


class MultiTaskNet(nn.Module):
    def __init__(self, n_channels, n_states, width=32):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(n_channels, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.state_head = nn.Linear(width, n_states)
        self.wear_head = nn.Sequential(nn.Linear(width, width // 2), nn.ReLU(), nn.Linear(width // 2, 1))

    def forward(self, x):
        h = self.shared(x)
        return self.state_head(h), self.wear_head(h).squeeze(-1).sigmoid()


def multitask_loss(outputs, state, wear, wear_weight=2.0):
    logits, wear_hat = outputs
    state_loss = F.cross_entropy(logits, state)
    wear_loss = F.mse_loss(wear_hat, wear)
    return state_loss
