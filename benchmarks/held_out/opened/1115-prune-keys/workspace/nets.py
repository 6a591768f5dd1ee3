"""Teacher and student for 1-D vibration classification."""
import torch
from torch import nn

N_CLASSES = 5
WINDOW = 128


def make_teacher(width=32):
    return nn.Sequential(
        nn.Conv1d(1, width, 9, stride=2, padding=4), nn.BatchNorm1d(width), nn.ReLU(),
        nn.Conv1d(width, width * 2, 5, stride=2, padding=2), nn.BatchNorm1d(width * 2), nn.ReLU(),
        nn.AdaptiveAvgPool1d(4), nn.Flatten(),
        nn.Linear(width * 8, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, N_CLASSES),
    )


class DepthwiseStudent(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.stem = nn.Conv1d(1, width, 7, stride=2, padding=3)
        self.dw = nn.Conv1d(width, width, 5, padding=2, groups=width)
        self.pw = nn.Conv1d(width, 2 * width, 1)
        self.fc = nn.Linear(2 * width, N_CLASSES)

    def forward(self, x):
        x = torch.relu(self.stem(x))
        x = torch.relu(self.pw(self.dw(x)))
        return self.fc(x.mean(-1))


def prunable(model):
    return [(m, "weight") for m in model.modules() if isinstance(m, (nn.Conv1d, nn.Linear))]


def synth(n, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(N_CLASSES, (n,), generator=g)
    t = torch.linspace(0, 1, WINDOW)
    freq = (4 + 5 * y.float())[:, None] * (1 + 0.05 * torch.randn(n, 1, generator=g))
    phase = 6.28 * torch.rand(n, 1, generator=g)
    x = torch.sin(2 * torch.pi * freq * t + phase) + 0.6 * torch.randn(n, WINDOW, generator=g)
    return x.unsqueeze(1), y
