"""Heteroscedastic MLP as pure functions on a dict of parameters."""
import jax
import jax.numpy as jnp


def dense_init(key, n_in, n_out, gain=1.0):
    w = gain * jax.random.normal(key, (n_in, n_out)) / jnp.sqrt(n_in)
    return {"w": w, "b": jnp.zeros(n_out)}


def init(key, n_in, hidden):
    keys = jax.random.split(key, len(hidden) + 2)
    sizes = [n_in, *hidden]
    return {
        "trunk": [dense_init(k, a, b, 1.4) for k, a, b in zip(keys, sizes, sizes[1:])],
        "mu_head": dense_init(keys[-2], sizes[-1], 1),
        "sigma_head": dense_init(keys[-1], sizes[-1], 1, 0.1),
    }


def apply(params, x):
    for layer in params["trunk"]:
        x = jax.nn.silu(x @ layer["w"] + layer["b"])
    mu = x @ params["mu_head"]["w"] + params["mu_head"]["b"]
    raw = x @ params["sigma_head"]["w"] + params["sigma_head"]["b"]
    return mu[..., 0], jax.nn.softplus(raw[..., 0]) + 1e-3


def nll(params, x, y):
    mu, sigma = apply(params, x)
    z = (y - mu) / sigma
    return jnp.mean(0.5 * z**2 + jnp.log(sigma))


def mixture(mu, sigma):
    """Moments of the equally weighted mixture over members (axis 0)."""
    mean = mu.mean(0)
    var = (sigma**2 + mu**2).mean(0) - mean**2
    return mean, jnp.sqrt(var)
