from dataclasses import dataclass, field


@dataclass
class AudioConfig:
    sample_rate: int = 8000
    clip_seconds: float = 0.5
    n_fft: int = 256
    hop_length: int = 80


@dataclass
class TrainConfig:
    keywords: tuple = ("yes", "no", "stop", "go")
    clips_per_word: int = 24
    batch_size: int = 16
    epochs: int = 4
    lr: float = 2e-3
    seed: int = 1
    audio: AudioConfig = field(default_factory=AudioConfig)
