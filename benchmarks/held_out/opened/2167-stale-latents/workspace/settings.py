from dataclasses import dataclass
from pathlib import Path


@dataclass
class Settings:
    latent: int = 16
    hidden: int = 96
    beta: float = 0.05
    vae_epochs: int = 8
    probe_epochs: int = 60
    batch: int = 64
    seed: int = 0
    work: Path = Path("work")


S = Settings()
S.work.mkdir(exist_ok=True)
