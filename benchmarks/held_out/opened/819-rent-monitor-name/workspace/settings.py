from dataclasses import dataclass, field
from typing import List


@dataclass
class DataSettings:
    path: str = "data/rents.csv"
    numeric: List[str] = field(default_factory=lambda: ["area", "rooms", "floor", "year"])
    categorical: List[str] = field(default_factory=lambda: ["district", "balcony"])
    target: str = "rent"
    batch_size: int = 32
    val_fraction: float = 0.2
    num_workers: int = 0


@dataclass
class ModelSettings:
    cardinalities: List[int] = field(default_factory=lambda: [4, 2])
    emb_dim: int = 4
    n_numeric: int = 4
    hidden: int = 32
    lr: float = 1e-2


@dataclass
class Settings:
    data: DataSettings = field(default_factory=DataSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    max_epochs: int = 4
    seed: int = 42
