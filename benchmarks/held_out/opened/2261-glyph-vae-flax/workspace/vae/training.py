import jax
import jax.numpy as jnp
import optax
from flax.training import train_state

from .models import VAE


def create_state(cfg, key):
    dim = cfg.image_size**2
    model = VAE(cfg.hidden, cfg.latents, dim)
    p_key, d_key, l_key = jax.random.split(key, 3)
    rngs = {"params": p_key, "dropout": d_key, "latent": l_key}
    params = model.init(rngs, jnp.zeros((1, dim)))["params"]
    return train_state.TrainState.create(
        apply_fn=model.apply, params=params, tx=optax.adam(cfg.learning_rate)
    )


def elbo(logits, x, mean, logvar, beta):
    rec = optax.sigmoid_binary_cross_entropy(logits, x).sum(-1)
    kl = -0.5 * (1 + logvar - mean**2 - jnp.exp(logvar)).sum(-1)
    return (rec + beta * kl).mean()


@jax.jit
def train_step(state, x, key, beta):
    d_key = jax.random.fold_in(key, state.step)

    def loss_fn(params):
        logits, mean, logvar = state.apply_fn(
            {"params": params}, x, train=True, rngs={"dropout": d_key}
        )
        return elbo(logits, x, mean, logvar, beta)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss
