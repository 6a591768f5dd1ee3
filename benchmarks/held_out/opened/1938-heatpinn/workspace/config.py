from dataclasses import dataclass


@dataclass
class Config:
    alpha: float = 0.1          # diffusivity
    t_end: float = 1.0
    hidden: int = 32
    depth: int = 3
    n_interior: int = 256
    n_boundary: int = 96
    w_boundary: float = 10.0
    lr: float = 5e-3
    iters: int = 400
    report_every: int = 100
    seed: int = 7
