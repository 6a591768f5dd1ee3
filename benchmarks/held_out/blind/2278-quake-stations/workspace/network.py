import torch
from torch import nn


class TravelTime(nn.Module):
    """Travel time regression with a learned static correction per station."""

    def __init__(self, n_stations, n_feat=2, hidden=32, emb=6):
        super().__init__()
        self.station = nn.Embedding(n_stations, emb)
        self.net = nn.Sequential(
            nn.Linear(n_feat + emb, hidden), nn.SiLU(),
            nn.Linear(hidden, hidden), nn.SiLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, x, sid):
        e = self.station(sid)
        return self.net(torch.cat([x, e], dim=-1)).squeeze(-1)
