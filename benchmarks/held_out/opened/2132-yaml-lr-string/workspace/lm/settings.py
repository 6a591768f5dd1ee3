from dataclasses import dataclass, field, fields

import yaml


@dataclass
class Settings:
    corpus: str = ""
    run_dir: str = "runs/default"
    seed: int = 0
    block_size: int = 64
    batch_size: int = 16
    d_model: int = 64
    n_heads: int = 4
    n_layers: int = 2
    dropout: float = 0.0
    lr: float = 1e-3
    betas: list = field(default_factory=lambda: [0.9, 0.999])
    weight_decay: float = 0.0
    warmup: int = 0
    steps: int = 100
    eval_every: int = 50

    @classmethod
    def from_yaml(cls, path):
        raw = yaml.safe_load(open(path))
        known = {f.name for f in fields(cls)}
        unknown = set(raw) - known
        if unknown:
            raise ValueError(f"unknown settings in {path}: {sorted(unknown)}")
        return cls(**raw)
