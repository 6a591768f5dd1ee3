import argparse
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Config:
    n_symbols: int = 10
    length: int = 12
    dim: int = 32
    heads: int = 4
    layers: int = 2
    dropout: float = 0.1
    batch: int = 64
    steps: int = 150
    lr: float = 3e-3
    warmup: int = 20
    eval_every: int = 50
    seed: int = 0


def from_cli() -> Config:
    ap = argparse.ArgumentParser()
    for f in fields(Config):
        ap.add_argument("--" + f.name, type=type(f.default), default=f.default)
    return Config(**vars(ap.parse_args()))
