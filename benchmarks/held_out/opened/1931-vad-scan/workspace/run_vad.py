import argparse
import dataclasses
import time

import jax
import jax.numpy as jnp
import optax

from vad.config import Config
from vad.frames import stream
from vad.model import Vad


def build(cfg):
    model = Vad(cfg)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(cfg.lr))

    def loss_fn(params, x, y):
        logits = model.apply(params, x)
        return optax.sigmoid_binary_cross_entropy(logits, y).mean(), logits

    @jax.jit
    def step(params, state, x, y):
        (loss, _), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, x, y)
        up, state = tx.update(grads, state, params)
        return optax.apply_updates(params, up), state, loss

    @jax.jit
    def error(params, x, y):
        _, logits = loss_fn(params, x, y)
        return jnp.mean((logits > 0) != (y > 0))

    return model, tx, step, error


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int)
    ap.add_argument("--hidden", type=int)
    over = {k: v for k, v in vars(ap.parse_args()).items() if v is not None}
    cfg = dataclasses.replace(Config(), **over)

    model, tx, step, error = build(cfg)
    train, dev = stream(cfg, 1), stream(cfg, 2)
    x_dev, y_dev = next(dev)
    params = model.init(jax.random.PRNGKey(cfg.seed), x_dev)
    state = tx.init(params)
    print("parameters", sum(p.size for p in jax.tree_util.tree_leaves(params)))

    start = time.time()
    for i in range(1, cfg.steps + 1):
        params, state, loss = step(params, state, *next(train))
        if i % cfg.log_every == 0:
            print(f"step {i:4d} loss {float(loss):.4f} dev frame error {float(error(params, x_dev, y_dev)):.3f} "
                  f"({time.time() - start:.1f}s)")


if __name__ == "__main__":
    main()
