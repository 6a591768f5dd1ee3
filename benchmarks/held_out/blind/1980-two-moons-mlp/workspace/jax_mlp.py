from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from sklearn.datasets import make_moons
from sklearn.model_selection import train_test_split


def init_layer(key, n_in, n_out):
    w_key, _ = jax.random.split(key)
    scale = jnp.sqrt(2.0 / n_in)
    return {"w": scale * jax.random.normal(w_key, (n_in, n_out)), "b": jnp.zeros(n_out)}


def init_params(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [init_layer(k, i, o) for k, i, o in zip(keys, sizes[:-1], sizes[1:])]


def forward(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    last = params[-1]
    return x @ last["w"] + last["b"]


def l2_penalty(params):
    return sum(jnp.sum(layer["w"] ** 2) for layer in params)


def loss_fn(params, x, y, weight_decay=1e-4):
    logits = forward(params, x)
    ce = optax.softmax_cross_entropy_with_integer_labels(logits, y)
    return ce + weight_decay * l2_penalty(params)


@jax.jit
def accuracy(params, x, y):
    return jnp.mean(jnp.argmax(forward(params, x), axis=-1) == y)


@partial(jax.jit, static_argnums=0)
def train_step(tx, params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, opt_state = tx.update(grads, opt_state, params)
    params = optax.apply_updates(params, updates)
    return params, opt_state, loss


def batches(x, y, batch_size, rng):
    order = rng.permutation(len(x))
    for start in range(0, len(x) - batch_size + 1, batch_size):
        idx = order[start : start + batch_size]
        yield jnp.asarray(x[idx]), jnp.asarray(y[idx])


def main():
    x, y = make_moons(n_samples=1000, noise=0.15, random_state=0)
    x = x.astype(np.float32)
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.2, random_state=0)

    params = init_params(jax.random.PRNGKey(0), [2, 32, 32, 2])
    n_params = sum(p.size for p in jax.tree_util.tree_leaves(params))
    print("parameters:", n_params)

    tx = optax.adam(1e-2)
    opt_state = tx.init(params)
    rng = np.random.default_rng(0)

    for epoch in range(10):
        losses = []
        for xb, yb in batches(x_train, y_train, 50, rng):
            params, opt_state, loss = train_step(tx, params, opt_state, xb, yb)
            losses.append(float(loss))
        acc = accuracy(params, x_test, y_test)
        print(f"epoch {epoch}: loss {np.mean(losses):.4f} test acc {acc:.3f}")


if __name__ == "__main__":
    main()
