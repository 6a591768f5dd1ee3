import dataclasses

import torch
from torch import nn


@dataclasses.dataclass
class ModelSpec:
    numeric: list
    soils: list
    hidden: int = 32
    emb: int = 4


class YieldNet(nn.Module):
    def __init__(self, spec: ModelSpec):
        super().__init__()
        self.soil = nn.Embedding(len(spec.soils), spec.emb)
        self.register_buffer("mean", torch.zeros(len(spec.numeric)))
        self.register_buffer("std", torch.ones(len(spec.numeric)))
        self.mlp = nn.Sequential(
            nn.Linear(len(spec.numeric) + spec.emb, spec.hidden),
            nn.ReLU(),
            nn.Linear(spec.hidden, spec.hidden),
            nn.ReLU(),
            nn.Linear(spec.hidden, 1),
        )

    def forward(self, numeric, soil):
        z = (numeric - self.mean) / self.std
        return self.mlp(torch.cat([z, self.soil(soil)], dim=1)).squeeze(1)


def tensors(frame, spec):
    num = torch.tensor(frame[spec.numeric].to_numpy(), dtype=torch.float32)
    soil = torch.tensor(frame["soil"].map(spec.soils.index).to_numpy(), dtype=torch.long)
    return num, soil
