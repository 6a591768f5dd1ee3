"""Small VAE on 8x8 digits in plain JAX (params are nested dicts)."""
import jax
import jax.numpy as jnp

INPUT = 64


def dense_init(key, n_in, n_out):
    w = jax.random.normal(key, (n_in, n_out)) * jnp.sqrt(2.0 / n_in)
    return {"w": w, "b": jnp.zeros(n_out)}


def dense(p, x):
    return x @ p["w"] + p["b"]


def init_params(key, hidden, latent):
    k = jax.random.split(key, 5)
    return {
        "enc": dense_init(k[0], INPUT, hidden),
        "mu": dense_init(k[1], hidden, latent),
        "logvar": dense_init(k[2], hidden, latent),
        "dec": dense_init(k[3], latent, hidden),
        "out": dense_init(k[4], hidden, INPUT),
    }


def encode(params, x):
    h = jax.nn.relu(dense(params["enc"], x))
    return dense(params["mu"], h), dense(params["logvar"], h)


def decode(params, z):
    return dense(params["out"], jax.nn.relu(dense(params["dec"], z)))


def elbo(params, x, key, beta):
    mu, logvar = encode(params, x)
    z = mu + jnp.exp(0.5 * logvar) * jax.random.normal(key, mu.shape)
    logits = decode(params, z)
    bce = jnp.maximum(logits, 0) - logits * x + jnp.log1p(jnp.exp(-jnp.abs(logits)))
    recon = bce.sum(-1).mean()
    kl = 0.5 * (jnp.exp(logvar) + mu ** 2 - 1 - logvar).sum(-1).mean()
    return recon + beta * kl, {"recon": recon, "kl": kl}
