import dataclasses


@dataclasses.dataclass(frozen=True)
class Settings:
    features: int = 6
    hidden: tuple[int, ...] = (16, 16)
    classes: int = 3
    batch_size: int = 32
    steps: int = 60
    accumulate: int = 2
    peak: float = 3e-2
    warmup: int = 5
    weight_decay: float = 1e-3
    clip: float = 1.0
    label_smoothing: float = 0.05
