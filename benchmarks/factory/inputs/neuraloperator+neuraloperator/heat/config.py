from dataclasses import dataclass, field


@dataclass
class DataConfig:
    train_size: int = 48
    test_size: int = 16
    resolution: int = 16
    test_resolution: int = 24
    batch_size: int = 8


@dataclass
class ModelConfig:
    n_modes: tuple = (6, 6)
    hidden_channels: int = 12
    in_channels: int = 1
    out_channels: int = 1
    n_layers: int = 2
    projection_channel_ratio: int = 2


@dataclass
class Config:
    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    loss: str = "h1"
    epochs: int = 2
    learning_rate: float = 5e-3
    weight_decay: float = 1e-4
