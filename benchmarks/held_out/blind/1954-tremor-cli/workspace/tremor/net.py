import jax
import jax.numpy as jnp


def init_mlp(seed, sizes):
    keys = jax.random.split(jax.random.key(seed), len(sizes) - 1)
    params = []
    for key, n_in, n_out in zip(keys, sizes[:-1], sizes[1:]):
        w = jax.random.normal(key, (n_in, n_out)) * jnp.sqrt(2.0 / n_in)
        params.append({"w": w, "b": jnp.zeros(n_out)})
    return params


def forward(params, x):
    h = x.reshape(x.shape[0], -1)
    for layer in params[:-1]:
        h = jax.nn.relu(h @ layer["w"] + layer["b"])
    out = h @ params[-1]["w"] + params[-1]["b"]
    return out[:, 0]
