from typing import Any, NamedTuple

import jax
import optax

from vae import elbo, init_params


class State(NamedTuple):
    params: Any
    opt_state: Any
    key: jax.Array
    step: int


def make_optimizer(lr, total_steps, weight_decay=1e-4):
    schedule = optax.warmup_cosine_decay_schedule(0.0, lr, total_steps // 10, total_steps)
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=weight_decay))


def create_state(seed, hidden, latent, tx):
    key, sub = jax.random.split(jax.random.key(seed))
    params = init_params(sub, hidden, latent)
    return State(params, tx.init(params), key, 0)


def make_step(tx, beta):
    grad_fn = jax.value_and_grad(elbo, has_aux=True)

    @jax.jit
    def step(state, x):
        key, sub = jax.random.split(state.key)
        (loss, aux), grads = grad_fn(state.params, x, sub, beta)
        updates, opt_state = tx.update(grads, state.params, state.opt_state)
        params = optax.apply_updates(state.params, updates)
        return State(params, opt_state, key, state.step + 1), dict(aux, loss=loss)

    return step
