from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    n_users: int = 120
    n_items: int = 400
    per_user: int = 25
    dim: int = 24
    negatives: int = 4
    epochs: int = 4
    batch_size: int = 256
    lr: float = 0.01
    top_k: int = 10
    seed: int = 5
