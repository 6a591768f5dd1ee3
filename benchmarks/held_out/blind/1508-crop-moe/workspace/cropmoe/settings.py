from __future__ import annotations

import dataclasses as dc
from pathlib import Path

import yaml


@dc.dataclass
class Data:
    table: str
    target: str
    numeric: list[str]
    categorical: list[str]
    last_train_season: int


@dc.dataclass
class Model:
    embed_dim: int = 8
    hidden: int = 32
    n_experts: int = 4
    top_k: int = 1
    router_noise: float = 0.0
    balance: float = 0.01


@dc.dataclass
class Settings:
    data: Data
    model: Model
    optim: dict
    epochs: int = 10
    batch_size: int = 64

    @classmethod
    def load(cls, path):
        raw = yaml.safe_load(Path(path).read_text())
        return cls(**{**raw, "data": Data(**raw["data"]), "model": Model(**raw["model"])})
