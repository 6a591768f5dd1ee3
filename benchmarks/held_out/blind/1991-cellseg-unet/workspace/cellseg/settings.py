from dataclasses import dataclass, field, asdict
from typing import Tuple


@dataclass
class DataSettings:
    num_train: int = 64
    num_val: int = 16
    size: int = 48
    max_cells: int = 5
    noise: float = 0.15
    batch_size: int = 8


@dataclass
class ModelSettings:
    in_channels: int = 1
    classes: int = 3            # background, cytoplasm, nucleus
    widths: Tuple[int, ...] = (8, 16, 24)
    bottleneck: int = 32
    norm_groups: int = 4


@dataclass
class TrainSettings:
    epochs: int = 6
    lr: float = 4e-3
    dice_weight: float = 0.5
    seed: int = 3


@dataclass
class Settings:
    data: DataSettings = field(default_factory=DataSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    train: TrainSettings = field(default_factory=TrainSettings)

    def describe(self):
        for section, values in asdict(self).items():
            print(f"{section:>6}: " + ", ".join(f"{k}={v}" for k, v in values.items()))
