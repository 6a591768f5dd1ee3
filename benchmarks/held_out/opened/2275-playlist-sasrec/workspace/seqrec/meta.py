import json
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Meta:
    n_items: int
    song2idx: dict

    @classmethod
    def load(cls, folder):
        raw = json.loads((Path(folder) / "meta.json").read_text())
        return cls(n_items=raw["n_items"], song2idx=raw["song2idx"])


def load_sequences(folder):
    return list(json.loads((Path(folder) / "sequences.json").read_text()).values())
