from dataclasses import dataclass


@dataclass
class Settings:
    corpus: str = "songs.txt"
    block_size: int = 24
    batch_size: int = 16
    d_model: int = 48
    nhead: int = 4
    num_layers: int = 2
    dropout: float = 0.1
    lr: float = 2e-3
    steps: int = 120
    eval_every: int = 40
    sample_len: int = 40
    seed: int = 3
