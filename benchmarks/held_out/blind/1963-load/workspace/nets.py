import flax.linen as nn
import jax.numpy as jnp


class ConvEncoder(nn.Module):
    hidden: int
    kernel: int
    layers: int

    @nn.compact
    def __call__(self, x):
        for i in range(self.layers):
            h = nn.Conv(self.hidden, (self.kernel,), kernel_dilation=2**i, padding="CAUSAL", name=f"conv_{i}")(x)
            h = nn.gelu(h)
            x = h if x.shape[-1] != h.shape[-1] else x + h
        return nn.LayerNorm(name="norm")(x)


class Reconstructor(nn.Module):
    """Pre-training: fill in the masked hours."""

    hidden: int
    kernel: int
    layers: int
    features: int

    @nn.compact
    def __call__(self, x):
        z = ConvEncoder(self.hidden, self.kernel, self.layers, name="encoder")(x)
        return nn.Dense(self.features, name="decode")(z)


class Forecaster(nn.Module):
    hidden: int
    kernel: int
    layers: int
    horizon: int

    @nn.compact
    def __call__(self, x):
        z = ConvEncoder(self.hidden, self.kernel, self.layers, name="encoder")(x)
        pooled = jnp.concatenate([z[:, -1], z.mean(axis=1)], axis=-1)
        h = nn.relu(nn.Dense(2 * self.hidden, name="head_0")(pooled))
        return nn.Dense(self.horizon, name="head_1")(h)
