import torch.nn as nn
import torch.nn.functional as F


class Embedder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(cfg.feature_dim, cfg.hidden),
            nn.ReLU(),
            nn.Linear(cfg.hidden, cfg.hidden),
            nn.ReLU(),
            nn.Linear(cfg.hidden, cfg.embedding),
        )

    def forward(self, x):
        return F.normalize(self.layers(x), dim=1)
