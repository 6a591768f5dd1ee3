import torch
from torch import nn

QUANTILES = (0.1, 0.5, 0.9)


class QuantileNet(nn.Module):
    def __init__(self, features, hidden=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(features, hidden), nn.ELU(), nn.Linear(hidden, hidden), nn.ELU())
        self.out = nn.Linear(hidden, len(QUANTILES))

    def forward(self, x):
        raw = self.out(self.net(x))
        base, *steps = raw.split(1, dim=-1)
        parts = [base]
        for s in steps:
            parts.append(parts[-1] + nn.functional.softplus(s))
        return torch.cat(parts, -1)


def pinball(pred, y):
    q = torch.tensor(QUANTILES, device=pred.device)
    diff = y[:, None] - pred
    return torch.maximum(q * diff, (q - 1) * diff).mean()


@torch.no_grad()
def predict(model, x, batch_size=512):
    model.eval()
    device = next(model.parameters()).device
    chunks = []
    for part in x.split(batch_size):
        chunks.append(model(part.to(device)))
    return torch.cat(chunks)
