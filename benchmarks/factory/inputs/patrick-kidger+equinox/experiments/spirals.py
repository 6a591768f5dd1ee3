"""Classify clockwise and anticlockwise spirals: python spirals.py CONFIG.json"""
import json
import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import optax
from models import build_model


def make_spirals(size, length, seed):
    key_t, key_d = jr.split(jr.PRNGKey(seed))
    turn = jnp.where(jr.bernoulli(key_d, 0.5, (size,)), 1.0, -1.0)
    start = jr.uniform(key_t, (size, 1), maxval=2 * jnp.pi)
    t = jnp.linspace(0, 3, length)
    angle = start + turn[:, None] * t
    xs = jnp.stack([jnp.cos(angle) * (1 + t), jnp.sin(angle) * (1 + t)], axis=-1)
    return xs, (turn > 0).astype(jnp.float32)


def batches(arrays, batch_size, *, key):
    size = arrays[0].shape[0]
    while True:
        key, subkey = jr.split(key)
        order = jr.permutation(subkey, size)
        for start in range(0, size - batch_size + 1, batch_size):
            index = order[start : start + batch_size]
            yield tuple(a[index] for a in arrays)


def loss_fn(model, x, y):
    logits = jax.vmap(model)(x)[:, 0]
    loss = optax.sigmoid_binary_cross_entropy(logits, y).mean()
    accuracy = jnp.mean((logits > 0) == (y > 0.5))
    return loss, accuracy


def main(config):
    data_key, model_key, loader_key = jr.split(jr.PRNGKey(config["data"]["seed"]), 3)
    arrays = make_spirals(**config["data"])
    model = build_model(config["model"], key=model_key)
    options = config["optimizer"]
    optim = optax.chain(
        optax.clip_by_global_norm(options["clip"]),
        getattr(optax, options["name"])(options["learning_rate"]),
    )
    opt_state = optim.init(eqx.filter(model, eqx.is_inexact_array))

    @eqx.filter_jit
    def step(model, opt_state, x, y):
        (loss, accuracy), grads = eqx.filter_value_and_grad(loss_fn, has_aux=True)(model, x, y)
        updates, opt_state = optim.update(grads, opt_state)
        return eqx.apply_updates(model, updates), opt_state, loss, accuracy

    loader = batches(arrays, config["batch_size"], key=loader_key)
    for number, (x, y) in zip(range(config["steps"]), loader):
        model, opt_state, loss, accuracy = step(model, opt_state, x, y)
        if (number + 1) % config["print_every"] == 0:
            print(f"step {number + 1} loss={loss:.4f} accuracy={accuracy:.3f}")
    eqx.tree_serialise_leaves("spirals.eqx", model)
    eqx.tree_deserialise_leaves("spirals.eqx", build_model(config["model"], key=model_key))


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        main(json.load(f))
