import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax

from tide.data import lagged, load
from tide.mlp import forward, init_params


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("csv")
    p.add_argument("--lags", type=int, default=12)
    p.add_argument("--width", type=int, default=24)
    p.add_argument("--depth", type=int, default=2)
    p.add_argument("--steps", type=int, default=300)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--clip", type=float, default=1.0)
    return p.parse_args()


def main():
    args = parse_args()
    series = load(args.csv)
    X, y = lagged(series, args.lags)
    cut = int(0.8 * len(y))
    sizes = [args.lags] + [args.width] * args.depth + [1]
    params = init_params(jax.random.PRNGKey(0), sizes)
    tx = optax.chain(optax.clip_by_global_norm(args.clip), optax.adam(args.lr))
    opt_state = tx.init(params)

    def loss_fn(params, X, y):
        pred = forward(params, X)[:, 0]
        return jnp.mean((pred - y) ** 2)

    @jax.jit
    def update(params, opt_state, X, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, X, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    for step in range(1, args.steps + 1):
        params, opt_state, loss = update(params, opt_state, X[:cut], y[:cut])
        if step % 60 == 0:
            val = loss_fn(params, X[cut:], y[cut:])
            print(f"step {step} train_mse {float(loss):.5f} val_mse {float(val):.5f}")
    naive = np.mean((X[cut:, -1] - y[cut:]) ** 2)
    print(f"naive forecast mse {naive:.5f}")


if __name__ == "__main__":
    main()
