import dataclasses

import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Config:
    n_bands: int = 16
    frames: int = 80
    hidden: int = 32
    batch: int = 32
    steps: int = 240
    log_every: int = 40
    lr: float = 4e-3
    dtype: jnp.dtype = jnp.bfloat16      # compute dtype, parameters stay float32
    seed: int = 0
