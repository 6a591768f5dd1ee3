import flax.linen as nn
import jax.numpy as jnp


class Siren(nn.Module):
    """Coordinate network for a small image."""

    hidden: int = 128
    depth: int = 3
    omega: float = 20.0

    @nn.compact
    def __call__(self, xy):
        h = xy
        for i in range(self.depth):
            h = nn.Dense(self.hidden, name=f"dense_{i}")(h)
            h = jnp.sin(self.omega * h if i == 0 else h)
        return nn.Dense(1, name="out")(h)
