import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Experiment:
    csv: str
    covariates: list
    hidden_dims: list
    dropout: float = 0.0
    learning_rate: float = 1e-3
    max_epochs: int = 10
    batch_size: int = 64
    seed: int = 0

    @classmethod
    def read(cls, path):
        with open(path) as f:
            return cls(**json.load(f))
