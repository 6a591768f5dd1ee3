from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax.training import train_state


class TrainState(train_state.TrainState):
    batch_stats: Any


def create_state(model, n_features, lr, total_steps, key):
    variables = model.init(key, jnp.zeros((2, n_features)))
    schedule = optax.cosine_decay_schedule(lr, total_steps)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule))
    return TrainState.create(
        apply_fn=model.apply,
        params=variables["params"],
        batch_stats=variables["batch_stats"],
        tx=tx,
    )


def pinball(pred, target, quantiles):
    q = jnp.asarray(quantiles)
    diff = target[:, None] - pred
    return jnp.mean(jnp.maximum(q * diff, (q - 1) * diff))


@partial(jax.jit, static_argnames="quantiles")
def train_step(state, x, y, quantiles):
    def loss_fn(params):
        pred, updates = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats}, x, mutable=["batch_stats"]
        )
        return pinball(pred, y, quantiles), updates

    (loss, updates), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    state = state.apply_gradients(grads=grads)
    return state.replace(batch_stats=updates["batch_stats"]), loss


@partial(jax.jit, static_argnames="quantiles")
def eval_step(state, x, y, quantiles):
    pred = state.apply_fn({"params": state.params, "batch_stats": state.batch_stats}, x)
    inside = (y >= pred[:, 0]) & (y <= pred[:, -1])
    return pinball(pred, y, quantiles), jnp.mean(inside)
