"""Encoder for NIR spectra plus a regression head."""
import flax.linen as nn
import jax.numpy as jnp


class SpectraEncoder(nn.Module):
    width: int
    depth: int

    @nn.compact
    def __call__(self, x):
        for i in range(self.depth):
            x = nn.Dense(self.width, name=f"dense_{i}")(x)
            x = nn.LayerNorm(name=f"norm_{i}")(x)
            x = nn.gelu(x)
        return x


class MoistureModel(nn.Module):
    encoder_width: int
    encoder_depth: int
    head_hidden: int

    @nn.compact
    def __call__(self, x):
        z = SpectraEncoder(self.encoder_width, self.encoder_depth, name="encoder")(x)
        z = nn.relu(nn.Dense(self.head_hidden, name="head_in")(z))
        return jnp.squeeze(nn.Dense(1, name="head_out")(z), -1)
