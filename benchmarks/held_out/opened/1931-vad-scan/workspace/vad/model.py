import flax.linen as nn
import jax
import jax.numpy as jnp

from vad.config import Config


class MinimalGRU(nn.Module):
    cfg: Config

    @nn.compact
    def __call__(self, x):
        c = self.cfg
        init = nn.initializers.lecun_normal()
        w_x = self.param("w_x", init, (x.shape[-1], 2 * c.hidden)).astype(c.dtype)
        w_h = self.param("w_h", nn.initializers.orthogonal(), (c.hidden, 2 * c.hidden)).astype(c.dtype)
        b = self.param("b", nn.initializers.zeros, (2 * c.hidden,))
        drive = x.astype(c.dtype) @ w_x + b

        def tick(h, d):
            g = d + h @ w_h
            z, n = jnp.split(g, 2, axis=-1)
            z = jax.nn.sigmoid(z)
            h = (1 - z) * h + z * jnp.tanh(n)
            return h, h

        h0 = jnp.zeros((x.shape[0], c.hidden), dtype=c.dtype)
        _, hs = jax.lax.scan(tick, h0, drive.swapaxes(0, 1))
        return hs.swapaxes(0, 1)


class Vad(nn.Module):
    cfg: Config

    @nn.compact
    def __call__(self, x):
        h = MinimalGRU(self.cfg, name="gru")(x)
        h = nn.relu(nn.Dense(self.cfg.hidden, dtype=self.cfg.dtype)(h))
        return nn.Dense(1, dtype=jnp.float32)(h)[..., 0]
