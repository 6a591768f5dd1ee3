from dataclasses import dataclass, field
from typing import List


@dataclass
class DataConfig:
    csv: str = "data/beats.csv"
    beat_len: int = 128
    val_every: int = 5
    batch_size: int = 20


@dataclass
class ModelConfig:
    channels: List[int] = field(default_factory=lambda: [8, 16, 32])
    kernel: int = 5
    latent: int = 12


@dataclass
class TrainConfig:
    epochs: int = 6
    lr: float = 3e-3
    seed: int = 0
    quantile: float = 0.95


@dataclass
class Config:
    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
