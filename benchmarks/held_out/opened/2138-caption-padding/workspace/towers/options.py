from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    images: str = "assets/images.npz"
    captions: str = "assets/captions.json"
    max_words: int = 6
    width: int = 32
    proj_dim: int = 16
    temperature: float = 0.1
    batch_size: int = 24
    epochs: int = 15
    lr: float = 5e-3
    holdout: float = 0.25
    seed: int = 0
