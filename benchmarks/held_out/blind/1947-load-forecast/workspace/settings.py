from dataclasses import dataclass


@dataclass
class Settings:
    csv: str = "data/load_hourly.csv"
    lookback: int = 48
    horizon: int = 12
    hidden: int = 32
    batch_size: int = 64
    lr: float = 3e-3
    epochs: int = 5
    valid_hours: int = 24 * 10
    seed: int = 3
