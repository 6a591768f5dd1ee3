import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import List


@dataclass
class Config:
    csv: str
    target: str
    numeric: List[str]
    categorical: List[str]
    hidden: List[int] = field(default_factory=lambda: [32])
    batch_size: int = 32
    epochs: int = 5
    lr: float = 1e-3
    device: str = "cpu"

    @classmethod
    def load(cls, path):
        return cls(**json.loads(Path(path).read_text()))
