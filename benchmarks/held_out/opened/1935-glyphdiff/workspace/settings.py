import json
from dataclasses import dataclass, fields


@dataclass
class Settings:
    image_size: int = 16
    base_channels: int = 32
    channel_mult: tuple = (1, 2)
    timesteps: int = 100
    beta_start: float = 1e-4
    beta_end: float = 0.02
    batch_size: int = 64
    steps: int = 1000
    lr: float = 1e-3
    ema_decay: float = 0.99
    n_samples: int = 16
    grid_columns: int = 4
    out_dir: str = "out"

    @classmethod
    def load(cls, path):
        raw = json.load(open(path))
        known = {f.name for f in fields(cls)}
        unknown = set(raw) - known
        if unknown:
            raise SystemExit(f"unknown settings: {sorted(unknown)}")
        return cls(**raw)
