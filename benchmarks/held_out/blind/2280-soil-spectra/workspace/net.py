import flax.linen as nn
import jax.numpy as jnp

from spectra import TARGETS


class Trunk(nn.Module):
    width: int
    depth: int

    @nn.compact
    def __call__(self, h):
        for _ in range(self.depth):
            h = h + nn.Dense(self.width)(nn.gelu(nn.LayerNorm()(h)))
        return h


class SpectraNet(nn.Module):
    width: int = 32
    depth: int = 2

    def setup(self):
        self.stem = nn.Conv(8, kernel_size=(5,), strides=(2,))
        self.trunk = Trunk(self.width, self.depth)
        self.proj = nn.Dense(self.width)
        self.heads = [nn.Dense(1, name=f"head_{t}") for t in TARGETS]

    def __call__(self, x):
        h = nn.gelu(self.stem(x[..., None]))
        h = self.proj(h.reshape(h.shape[0], -1))
        h = self.trunk(h)
        return jnp.concatenate([head(h) for head in self.heads], axis=-1)
