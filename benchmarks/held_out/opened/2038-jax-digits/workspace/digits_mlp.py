"""Two-layer MLP on sklearn digits in plain JAX + optax."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

BATCH_SIZE = 64
NUM_EPOCHS = 8
LAYER_SIZES = [64, 48, 10]


def init_params(key, sizes):
    params = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:]):
        key, sub = jax.random.split(key)
        w = jax.random.normal(sub, (n_in, n_out)) * jnp.sqrt(2.0 / n_in)
        params.append({"w": w, "b": jnp.zeros(n_out)})
    return params


def forward(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    last = params[-1]
    return x @ last["w"] + last["b"]


def loss_fn(params, x, y):
    logits = forward(params, x)
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


@jax.jit
def accuracy(params, x, y):
    return jnp.mean(forward(params, x).argmax(axis=-1) == y)


schedule = optax.cosine_decay_schedule(5e-3, decay_steps=NUM_EPOCHS * 20)
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(schedule))


@jax.jit
def train_step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, opt_state = tx.update(grads, opt_state, params)
    optax.apply_updates(params, updates)
    return params, opt_state, loss


def batches(x, y, rng):
    order = rng.permutation(len(x))
    for i in range(0, len(x) - BATCH_SIZE + 1, BATCH_SIZE):
        idx = order[i:i + BATCH_SIZE]
        yield x[idx], y[idx]


def main():
    digits = load_digits()
    x = (digits.data / 16.0).astype(np.float32)
    x_tr, x_te, y_tr, y_te = train_test_split(x, digits.target, test_size=0.25, random_state=0)
    params = init_params(jax.random.PRNGKey(0), LAYER_SIZES)
    opt_state = tx.init(params)
    rng = np.random.default_rng(0)

    for epoch in range(NUM_EPOCHS):
        losses = []
        for xb, yb in batches(x_tr, y_tr, rng):
            params, opt_state, loss = train_step(params, opt_state, xb, yb)
            losses.append(float(loss))
        print(f"epoch {epoch}: loss={np.mean(losses):.4f} "
              f"train_acc={accuracy(params, x_tr, y_tr):.3f} test_acc={accuracy(params, x_te, y_te):.3f}")


if __name__ == "__main__":
    main()
