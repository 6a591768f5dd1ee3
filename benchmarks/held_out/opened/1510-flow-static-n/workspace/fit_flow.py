import argparse
import csv

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState

from flow import CouplingFlow, draw, held_out, nll


def read_buoy(path, columns):
    with open(path, newline="") as f:
        rows = [[float(r[c]) for c in columns] for r in csv.DictReader(f)]
    return np.asarray(rows, dtype=np.float32)


def schedule(peak, steps):
    return optax.join_schedules(
        [optax.linear_schedule(0.0, peak, steps // 10), optax.cosine_decay_schedule(peak, steps - steps // 10)],
        boundaries=[steps // 10],
    )


def make_state(model, key, dim, peak, steps):
    params = model.init(key, jnp.zeros((1, dim)))["params"]
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule(peak, steps), weight_decay=1e-4))
    return TrainState.create(apply_fn=model.apply, params=params, tx=tx)


def batches(rng, x, size):
    order = rng.permutation(len(x))
    for i in range(0, len(x) - size + 1, size):
        yield x[order[i : i + size]]


def return_level(samples, column, exceed):
    return float(np.quantile(samples[:, column], 1 - exceed))


def main(a):
    columns = a.columns.split(",")
    raw = read_buoy(a.csv, columns)
    cut = int(0.85 * len(raw))
    mu, sd = raw[:cut].mean(0), raw[:cut].std(0)
    x = (raw - mu) / sd
    train, hold = x[:cut], x[cut:]
    model = CouplingFlow(dim=len(columns), n_layers=a.layers)
    key = jax.random.PRNGKey(a.seed)
    key, k_init = jax.random.split(key)
    steps = a.epochs * (cut // a.batch)
    state = make_state(model, k_init, len(columns), a.lr, steps)

    @jax.jit
    def step(state, batch, key):
        loss, grads = jax.value_and_grad(lambda p: nll(model, p, batch, key))(state.params)
        return state.apply_gradients(grads=grads), loss

    rng = np.random.default_rng(a.seed)
    for epoch in range(1, a.epochs + 1):
        losses = []
        for batch in batches(rng, train, a.batch):
            key, k = jax.random.split(key)
            state, loss = step(state, batch, k)
            losses.append(float(loss))
        if epoch % 5 == 0:
            print(f"epoch {epoch:3d}  train nll {np.mean(losses):.3f}  held-out {float(held_out(model, state.params, hold)):.3f}")
    key, k = jax.random.split(key)
    sample = np.asarray(draw(model, state.params, k, a.draws)) * sd + mu
    for j, c in enumerate(columns):
        print(f"{c:>6}: mean {sample[:, j].mean():7.3f} (data {raw[:, j].mean():7.3f})  1% level {return_level(sample, j, 0.01):7.3f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--csv", default="buoy.csv")
    p.add_argument("--columns", default="hs,tm,wind,setup")
    p.add_argument("--layers", type=int, default=4)
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--draws", type=int, default=4000)
    p.add_argument("--seed", type=int, default=0)
    main(p.parse_args())
