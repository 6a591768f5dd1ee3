import copy
from pathlib import Path

import yaml

DEFAULTS = {
    "seed": 0,
    "output_dir": "runs/tmp",
    "data": {"image_size": 32, "noise": 0.2, "batch_size": 16, "hflip": False},
    "model": {"width": 16, "depth": 3, "dropout": 0.0},
    "optim": {"name": "sgd", "lr": 0.1, "momentum": 0.9, "weight_decay": 0.0,
              "warmup_epochs": 0, "epochs": 10},
    "log": {"every": 10},
}


class Config(dict):
    """dict with attribute access, nested dicts are converted on the way in."""

    def __init__(self, mapping):
        super().__init__()
        for key, value in mapping.items():
            self[key] = Config(value) if isinstance(value, dict) else value

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as exc:
            raise AttributeError(f"no setting called {name!r}") from exc


def _merge(base, other):
    out = copy.deepcopy(base)
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(out.get(key), dict):
            out[key] = _merge(out[key], value)
        else:
            out[key] = value
    return out


def load_config(path, overrides=()):
    raw = yaml.safe_load(Path(path).read_text())
    merged = _merge(DEFAULTS, raw)
    for item in overrides:
        dotted, value = item.split("=", 1)
        node = merged
        *parents, leaf = dotted.split(".")
        for p in parents:
            node = node[p]
        node[leaf] = yaml.safe_load(value)
    return Config(merged)
