from dataclasses import dataclass


@dataclass
class Conf:
    side: int = 8
    n_classes: int = 9
    hidden: int = 64
    lr: float = 5e-3
    batch_size: int = 64
    epochs: int = 3
    noise: float = 0.02
