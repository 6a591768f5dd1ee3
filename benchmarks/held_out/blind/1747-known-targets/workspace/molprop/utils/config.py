import os
from dataclasses import dataclass, field
from typing import List

import yaml

CONF_DIR = os.environ.get("MOLPROP_CONF", os.path.join(os.path.dirname(__file__), "..", "..", "conf"))


@dataclass
class NetConfig:
    dim: int = 48
    depth: int = 3
    readout: str = "mean"
    dropout: float = 0.0


@dataclass
class Experiment:
    tasks: List[str]
    folder: str = "data"
    batch_size: int = 32
    epochs: int = 8
    lr: float = 1e-3
    ema_decay: float = 0.9
    seed: int = 0
    net: NetConfig = field(default_factory=NetConfig)


def get_experiment(name):
    with open(os.path.join(CONF_DIR, "experiments.yaml")) as f:
        table = yaml.safe_load(f)
    if name not in table:
        raise SystemExit(f"no experiment {name}; known: {', '.join(table)}")
    entry = table[name]
    net = NetConfig(**entry.pop("net", {}))
    return Experiment(net=net, **entry)
