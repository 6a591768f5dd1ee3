import argparse
from dataclasses import dataclass, fields


@dataclass
class Settings:
    csv: str = "data/load_hourly.csv"
    columns: tuple = ("load_mw", "temp_c", "wind_ms", "holiday", "hour_sin", "hour_cos")
    target: str = "load_mw"
    history: int = 48
    horizon: int = 6
    train_frac: float = 0.7
    val_frac: float = 0.15
    hidden: int = 24
    dropout: float = 0.1
    lr: float = 5e-3
    batch_size: int = 32
    epochs: int = 6
    patience: int = 3
    seed: int = 11

    @classmethod
    def from_command_line(cls):
        parser = argparse.ArgumentParser()
        for f in fields(cls):
            if f.type in (int, float, str):
                parser.add_argument("--" + f.name.replace("_", "-"), type=f.type, default=f.default)
        return cls(**vars(parser.parse_args()))
