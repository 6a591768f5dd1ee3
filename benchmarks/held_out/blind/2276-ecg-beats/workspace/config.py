from dataclasses import dataclass, field


@dataclass
class Config:
    n_leads: int = 2
    window: int = 186          # samples kept around each R peak
    channels: list = field(default_factory=lambda: [16, 32, 64])
    kernel: int = 5
    n_classes: int = 4
    hidden: int = 48
    dropout: float = 0.2
    batch_size: int = 32
    epochs: int = 4
    lr: float = 2e-3
    seed: int = 11
