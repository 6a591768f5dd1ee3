"""Affine coupling flow for joint metocean densities."""
from functools import partial
from typing import Sequence

import flax.linen as nn
import jax
import jax.numpy as jnp


class Conditioner(nn.Module):
    widths: Sequence[int]
    dim: int
    rate: float

    @nn.compact
    def __call__(self, x, train: bool):
        for w in self.widths:
            x = nn.swish(nn.Dense(w)(x))
            x = nn.Dropout(self.rate, deterministic=not train)(x)
        out = nn.Dense(2 * self.dim, kernel_init=nn.initializers.zeros)(x)
        shift, log_scale = jnp.split(out, 2, axis=-1)
        return shift, 1.5 * jnp.tanh(log_scale)


class CouplingFlow(nn.Module):
    dim: int
    n_layers: int = 6
    widths: Sequence[int] = (32, 32)
    rate: float = 0.05

    def setup(self):
        self.nets = [Conditioner(self.widths, self.dim, self.rate) for _ in range(self.n_layers)]

    def mask(self, i):
        return (jnp.arange(self.dim) % 2 == i % 2).astype(jnp.float32)

    def __call__(self, x, train: bool = False):
        logdet = jnp.zeros(x.shape[0])
        for i, net in enumerate(self.nets):
            m = self.mask(i)
            shift, ls = net(x * m, train)
            ls, shift = ls * (1 - m), shift * (1 - m)
            x = x * jnp.exp(ls) + shift
            logdet = logdet + ls.sum(-1)
        base = -0.5 * (x**2).sum(-1) - 0.5 * self.dim * jnp.log(2 * jnp.pi)
        return base + logdet

    def invert(self, z):
        for i, net in reversed(list(enumerate(self.nets))):
            m = self.mask(i)
            shift, ls = net(z * m, False)
            z = z * m + (1 - m) * (z - shift) * jnp.exp(-ls * (1 - m))
        return z


def nll(model, params, x, key):
    logp = model.apply({"params": params}, x, train=True, rngs={"dropout": key})
    return -logp.mean()


@partial(jax.jit, static_argnames=("model",))
def draw(model, params, key, n):
    z = jax.random.normal(key, (n, model.dim))
    return model.apply({"params": params}, z, method=CouplingFlow.invert)


@partial(jax.jit, static_argnames="model")
def held_out(model, params, x):
    logp = model.apply({"params": params}, x)
    return -logp.mean()
