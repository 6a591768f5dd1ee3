"""Neural ODE for a damped pendulum, written with plain jax pytrees (no flax, optax only for Adam)."""
from __future__ import annotations

import argparse
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

G_OVER_L, DAMP = 9.81 / 2.0, 0.15


class Layer(NamedTuple):
    w: jax.Array
    b: jax.Array


def init_mlp(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [Layer(jax.random.normal(k, (m, n)) * jnp.sqrt(1.0 / m), jnp.zeros(n))
            for k, m, n in zip(keys, sizes[:-1], sizes[1:])]


def vector_field(params, y):
    h = jnp.concatenate([y, jnp.sin(y[:1])])
    for layer in params[:-1]:
        h = jnp.tanh(h @ layer.w + layer.b)
    return h @ params[-1].w + params[-1].b


def true_field(_, y):
    return jnp.array([y[1], -G_OVER_L * jnp.sin(y[0]) - DAMP * y[1]])


def rk4(f, params, y, dt):
    k1 = f(params, y)
    k2 = f(params, y + 0.5 * dt * k1)
    k3 = f(params, y + 0.5 * dt * k2)
    k4 = f(params, y + dt * k3)
    return y + dt / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)


def rollout(f, params, y0, dt, n_steps):
    def body(y, _):
        y = rk4(f, params, y, dt)
        return y, y

    _, path = jax.lax.scan(body, y0, None, length=n_steps)
    return path


def simulate(key, n, dt, n_steps, noise):
    k1, k2 = jax.random.split(key)
    y0 = jax.random.uniform(k1, (n, 2), minval=-1.5, maxval=1.5)
    paths = jax.vmap(lambda y: rollout(true_field, None, y, dt, n_steps))(y0)
    return y0, paths + noise * jax.random.normal(k2, paths.shape)


@jax.jit
def loss_fn(params, y0, target, dt, n_steps):
    pred = jax.vmap(lambda y: rollout(vector_field, params, y, dt, n_steps))(y0)
    return jnp.mean(jnp.square(pred - target[:, :n_steps]))


def minibatches(rng, n, size):
    order = rng.permutation(n)
    for s in range(0, n - size + 1, size):
        yield order[s:s + size]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--trajectories", type=int, default=96)
    ap.add_argument("--dt", type=float, default=0.05)
    ap.add_argument("--stages", type=int, nargs="+", default=[4, 16], help="growing horizons")
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--lr", type=float, default=5e-3)
    args = ap.parse_args()

    key_data, key_test, key_init = jax.random.split(jax.random.key(0), 3)
    y0, paths = simulate(key_data, args.trajectories, args.dt, max(args.stages), 0.01)
    y0_t, paths_t = simulate(key_test, 32, args.dt, max(args.stages), 0.0)

    params = init_mlp(key_init, [3, 32, 32, 2])
    n_params = sum(p.size for p in jax.tree.leaves(params))
    print(f"{n_params} parameters, {paths.shape} training data")
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(args.lr))
    opt_state = tx.init(params)
    grad_fn = jax.value_and_grad(loss_fn)
    rng = np.random.default_rng(0)

    for horizon in args.stages:
        for epoch in range(args.epochs):
            total = []
            for b in minibatches(rng, len(y0), 32):
                loss, grads = grad_fn(params, y0[b], paths[b], args.dt, n_steps=horizon)
                updates, opt_state = tx.update(grads, opt_state, params)
                params = optax.apply_updates(params, updates)
                total.append(float(loss))
        test = loss_fn(params, y0_t, paths_t, args.dt, n_steps=max(args.stages))
        print(f"horizon {horizon:3d}: train mse {np.mean(total):.5f}, test mse over full path {float(test):.5f}")

    y = jnp.array([1.0, 0.0])
    ours = rollout(vector_field, params, y, args.dt, 20)[-1]
    ref = rollout(true_field, None, y, args.dt, 20)[-1]
    print("after 1 s: model", np.round(np.asarray(ours), 3), "truth", np.round(np.asarray(ref), 3))


if __name__ == "__main__":
    main()
