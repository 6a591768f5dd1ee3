from typing import Sequence

import flax.linen as nn
import jax.numpy as jnp


class DynamicsNet(nn.Module):
    """Predicts the change of the state for a given (state, action)."""
    hidden: Sequence[int]
    state_dim: int
    dropout: float = 0.0

    @nn.compact
    def __call__(self, state, action, train=False):
        h = jnp.concatenate([state, action], axis=-1)
        for width in self.hidden:
            h = nn.swish(nn.Dense(width)(h))
            h = nn.Dropout(self.dropout, deterministic=not train)(h)
        return nn.Dense(self.state_dim)(h)
