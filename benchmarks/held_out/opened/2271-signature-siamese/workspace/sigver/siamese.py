import torch.nn as nn
import torch.nn.functional as F


class Siamese(nn.Module):
    def __init__(self, embedding=16):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv1d(2, 16, 5, stride=2), nn.ReLU(),
            nn.Conv1d(16, 32, 5, stride=2), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        )
        self.projector = nn.Sequential(nn.Linear(32, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, embedding))

    def embed(self, x):
        return F.normalize(self.projector(self.encoder(x)), dim=1)

    def forward(self, a, b):
        return (self.embed(a) - self.embed(b)).pow(2).sum(dim=1)


def contrastive_loss(dist2, same, margin=1.0):
    gap = F.relu(margin - (dist2 + 1e-8).sqrt())
    return (same * dist2 + (1 - same) * gap.pow(2)).mean()
