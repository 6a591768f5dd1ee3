import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state

from vae import input_pipeline
from vae.models import VAE


def kl(mean, logvar):
    return -0.5 * jnp.sum(1 + logvar - mean ** 2 - jnp.exp(logvar), axis=-1)


def bce(logits, x):
    return jnp.sum(optax.sigmoid_binary_cross_entropy(logits, x), axis=-1)


@jax.jit
def train_step(state, batch, z_rng):
    def loss_fn(params):
        recon, mean, logvar = state.apply_fn({"params": params}, batch, z_rng)
        return (bce(recon, batch) + kl(mean, logvar)).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def create_state(config, rng, steps):
    model = VAE(**config.model)
    dummy = jnp.ones((1, config.model.image_dim))
    params = model.init(rng, dummy, rng)["params"]
    schedule = optax.warmup_cosine_decay_schedule(0.0, config.learning_rate, config.warmup_steps, steps)
    return model, train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(schedule))


def train_and_evaluate(config):
    x_train, x_test = input_pipeline.get_digits()
    steps = config.num_epochs * (len(x_train) // config.batch_size)
    key = jax.random.key(config.seed)
    key, init_key = jax.random.split(key)
    model, state = create_state(config, init_key, steps)
    rng = np.random.default_rng(config.seed)
    for epoch in range(config.num_epochs):
        for batch in input_pipeline.batches(x_train, config.batch_size, rng):
            key, z_key = jax.random.split(key)
            state, loss = train_step(state, batch, z_key)
        recon, mean, logvar = model.apply({"params": state.params}, x_test, key)
        print(f"epoch {epoch + 1}: train {loss:.3f}  test elbo loss {(bce(recon, x_test) + kl(mean, logvar)).mean():.3f}")
    z = jax.random.normal(key, (16, config.model.latents))
    samples = model.apply({"params": state.params}, z, method=model.generate)
    print("samples", samples.reshape(-1, 8, 8).shape, "range", float(samples.min()), float(samples.max()))
