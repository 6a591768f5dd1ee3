import argparse
from dataclasses import asdict, dataclass


@dataclass
class Options:
    n_points: int = 64
    n_per_class: int = 120
    batch_size: int = 20
    epochs: int = 10
    warmup: int = 2
    lr: float = 3e-3
    weight_decay: float = 1e-4
    width: int = 48
    jitter: float = 0.02
    seed: int = 0

    @classmethod
    def from_args(cls):
        ap = argparse.ArgumentParser()
        for key, value in asdict(cls()).items():
            ap.add_argument("--" + key.replace("_", "-"), type=type(value), default=value)
        return cls(**vars(ap.parse_args()))
