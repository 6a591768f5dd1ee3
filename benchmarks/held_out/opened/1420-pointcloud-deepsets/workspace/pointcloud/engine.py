from functools import partial

import jax
import jax.numpy as jnp
import optax


@partial(jax.jit, static_argnums=(0, 1))
def train_step(model, tx, params, opt_state, batch, rng):
    x, y = batch

    def objective(p):
        logits = model.apply({"params": p}, x, train=True, rngs={"dropout": rng})
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()
        return loss, (logits.argmax(-1) == y).mean()

    (loss, acc), grads = jax.value_and_grad(objective, has_aux=True)(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    new_params = optax.apply_updates(params, updates)
    stats = {"loss": loss, "acc": acc, "grad_norm": optax.global_norm(grads)}
    return params, opt_state, stats


@partial(jax.jit, static_argnums=0)
def predict(model, params, x):
    return model.apply({"params": params}, x, train=False).argmax(-1)


def evaluate(model, params, x, y):
    return float((predict(model, params, jnp.asarray(x)) == y).mean())


def fit(model, tx, params, stream, steps, key, hooks=()):
    opt_state = tx.init(params)
    for step in range(1, steps + 1):
        key, sub = jax.random.split(key)
        params, opt_state, stats = train_step(model, tx, params, opt_state, next(stream), sub)
        for hook in hooks:
            hook(step, params, {k: float(v) for k, v in stats.items()})
    return params
