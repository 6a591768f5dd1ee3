import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax

HIDDEN = 16
STEPS = 20


def init_params(key, n_in, n_hidden):
    k1, k2, k3 = jax.random.split(key, 3)
    return {
        "wx": jax.random.normal(k1, (n_in, n_hidden)) * 0.3,
        "wh": jax.random.normal(k2, (n_hidden, n_hidden)) * 0.3,
        "b": jnp.zeros(n_hidden),
        "wo": jax.random.normal(k3, (n_hidden, 1)) * 0.3,
        "bo": jnp.zeros(1),
    }


def cell(params, carry, x_t):
    h, total = carry
    h = jnp.tanh(x_t @ params["wx"] + h @ params["wh"] + params["b"])
    y = (h @ params["wo"] + params["bo"])[..., 0]
    total = total + jnp.mean(jnp.abs(y))
    return (h, total), y


def initial_carry(batch):
    h0 = jnp.zeros(HIDDEN)
    total = 0.0
    return h0, total


def forward(params, xs):
    # xs: (batch, time, features), scan wants time first
    xs = jnp.swapaxes(xs, 0, 1)
    step = functools.partial(cell, params)
    (h, total), ys = jax.lax.scan(step, initial_carry(xs.shape[1]), xs)
    return ys[-1], total / xs.shape[0]


def loss_fn(params, xs, target):
    pred, activity = forward(params, xs)
    return jnp.mean((pred - target) ** 2) + 1e-3 * activity


optimizer = optax.adam(3e-3)


@jax.jit
def update(params, opt_state, xs, target):
    loss, grads = jax.value_and_grad(loss_fn)(params, xs, target)
    updates, opt_state = optimizer.update(grads, opt_state)
    params = optax.apply_updates(params, updates)
    return params, opt_state, loss


def batches(rng, n, size=32):
    for _ in range(n):
        phase = rng.uniform(0, 2 * np.pi, size=(size, 1))
        t = np.arange(STEPS + 1) * 0.3
        wave = np.sin(t[None, :] + phase)
        yield wave[:, :-1, None].astype("float32"), wave[:, -1].astype("float32")


def main():
    params = init_params(jax.random.PRNGKey(0), 1, HIDDEN)
    opt_state = optimizer.init(params)
    rng = np.random.default_rng(0)
    for i, (xs, target) in enumerate(batches(rng, 200)):
        params, opt_state, loss = update(params, opt_state, xs, target)
        if i % 50 == 0:
            print(f"step {i:4d}  loss {loss:.4f}")
    print("final", float(loss))


if __name__ == "__main__":
    main()
