from typing import Sequence

import jax.numpy as jnp
from flax import linen as nn


class ResidualDense(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x, train):
        y = nn.Dense(self.width)(x)
        y = nn.BatchNorm(use_running_average=not train, momentum=0.9)(y)
        y = nn.gelu(y)
        y = nn.Dense(self.width)(y)
        return x + y


class PriceNet(nn.Module):
    width: int = 64
    blocks: int = 2
    quantiles: Sequence[float] = (0.1, 0.5, 0.9)

    @nn.compact
    def __call__(self, x, train: bool = True):
        x = nn.Dense(self.width)(x)
        for _ in range(self.blocks):
            x = ResidualDense(self.width)(x, train)
        return nn.Dense(len(self.quantiles))(jnp.tanh(x))
