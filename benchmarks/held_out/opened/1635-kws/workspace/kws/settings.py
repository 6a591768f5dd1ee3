from dataclasses import dataclass


@dataclass(frozen=True)
class AudioSettings:
    sample_rate: int = 8000
    clip_seconds: float = 1.0
    n_fft: int = 512
    hop: int = 128
    n_mels: int = 40

    @property
    def n_samples(self):
        return int(self.sample_rate * self.clip_seconds)

    @property
    def n_frames(self):
        return 1 + (self.n_samples - self.n_fft) // self.hop


@dataclass(frozen=True)
class TrainSettings:
    epochs: int = 3
    batch_size: int = 16
    lr: float = 1e-3
    clips_per_word: int = 24
