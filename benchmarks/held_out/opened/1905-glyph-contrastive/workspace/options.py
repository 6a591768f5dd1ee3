from argparse import ArgumentParser
from dataclasses import dataclass, fields


@dataclass
class Options:
    n_train: int = 320
    n_test: int = 80
    side: int = 20
    batch: int = 64
    epochs: int = 4
    width: int = 16
    proj_dim: int = 24
    tau: float = 0.2
    lr: float = 2e-3
    knn_k: int = 15
    knn_tau: float = 0.1
    seed: int = 0

    @classmethod
    def from_cli(cls):
        p = ArgumentParser()
        for f in fields(cls):
            p.add_argument("--" + f.name.replace("_", "-"), type=f.type, default=f.default)
        return cls(**vars(p.parse_args()))
