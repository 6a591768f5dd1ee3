from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state


class CNN(nn.Module):
    n_classes: int = 5

    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Conv(8, (3, 3), use_bias=False)(x)
        x = nn.BatchNorm(use_running_average=not train, momentum=0.9)(x)
        x = nn.relu(x)
        x = nn.avg_pool(x, (2, 2), strides=(2, 2))
        x = nn.Conv(16, (3, 3))(x)
        x = nn.relu(x)
        x = x.reshape((x.shape[0], -1))
        x = nn.Dropout(0.3, deterministic=not train)(x)
        return nn.Dense(self.n_classes)(x)


class TrainState(train_state.TrainState):
    batch_stats: Any


def create_state(key):
    model = CNN()
    variables = model.init(key, jnp.ones((1, 16, 16, 1)), train=False)
    return TrainState.create(
        apply_fn=model.apply,
        params=variables["params"],
        batch_stats=variables["batch_stats"],
        tx=optax.adamw(2e-3),
    )


@jax.jit
def train_step(state, images, labels, key):
    def loss_fn(params):
        logits, updates = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats},
            images,
            train=True,
            rngs={"dropout": key},
            mutable=["batch_stats"],
        )
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()
        return loss, updates

    (loss, updates), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    state = state.apply_gradients(grads=grads)
    return state.replace(batch_stats=updates["batch_stats"]), loss


@jax.jit
def predict(state, images):
    logits = state.apply_fn(
        {"params": state.params, "batch_stats": state.batch_stats}, images, train=True
    )
    return logits.argmax(-1)


def data(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 5, n)
    x = rng.normal(0, 0.3, (n, 16, 16, 1)).astype("float32")
    for i, c in enumerate(y):
        x[i, 3 * c : 3 * c + 3] += 1.0
    return x, y


x, y = data(512, 0)
key = jax.random.PRNGKey(0)
key, init_key = jax.random.split(key)
state = create_state(init_key)
for epoch in range(3):
    for i in range(0, len(x), 64):
        key, sub = jax.random.split(key)
        state, loss = train_step(state, x[i : i + 64], y[i : i + 64], sub)
    acc = (predict(state, x) == y).mean()
    print(f"epoch {epoch} loss {loss:.3f} acc {acc:.3f}")
