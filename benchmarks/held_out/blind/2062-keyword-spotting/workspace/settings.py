from dataclasses import dataclass, field, fields

import yaml


@dataclass
class Audio:
    sample_rate: int = 8000
    seconds: float = 1.0
    keywords: list = field(default_factory=lambda: ["yes", "no"])


@dataclass
class Features:
    n_fft: int = 512
    hop: int = 160
    n_mels: int = 40
    log_floor: float = 1e-6


@dataclass
class Model:
    in_bands: int = 40
    channels: int = 32
    dropout: float = 0.0


@dataclass
class Optim:
    lr: float = 1e-3
    epochs: int = 10
    batch_size: int = 32


SECTIONS = {"audio": Audio, "features": Features, "model": Model, "optim": Optim}


@dataclass
class Settings:
    name: str
    seed: int
    audio: Audio
    features: Features
    model: Model
    optim: Optim


def _build(cls, raw):
    known = {f.name for f in fields(cls)}
    return cls(**{k: v for k, v in (raw or {}).items() if k in known})


def load_settings(path):
    with open(path) as f:
        raw = yaml.safe_load(f)
    parts = {name: _build(cls, raw.get(name)) for name, cls in SECTIONS.items()}
    return Settings(name=raw["name"], seed=raw.get("seed", 0), **parts)
