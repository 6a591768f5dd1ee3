import jax
import jax.numpy as jnp


def init(key, sizes):
    params = {}
    for i, (n_in, n_out) in enumerate(zip(sizes[:-1], sizes[1:])):
        key, subkey = jax.random.split(key)
        scale = jnp.sqrt(2.0 / n_in)
        params[f"layer{i}"] = {
            "w": scale * jax.random.normal(subkey, (n_in, n_out)),
            "b": jnp.zeros((n_out,)),
        }
    return params


def apply(params, x):
    last = len(params) - 1
    for i in range(len(params)):
        layer = params[f"layer{i}"]
        x = x @ layer["w"] + layer["b"]
        if i < last:
            x = jax.nn.gelu(x)
    return x
