from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    image_size: int = 12
    n_images: int = 512
    hidden: int = 64
    latents: int = 6
    beta: float = 0.5
    batch_size: int = 64
    epochs: int = 3
    learning_rate: float = 2e-3
    seed: int = 0
