import jax
import jax.numpy as jnp
import numpy as np
import optax
import flax.linen as nn
from flax.training import train_state
from typing import Any


class CNN(nn.Module):
    num_classes: int = 3

    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Conv(8, (3, 3))(x)
        x = nn.BatchNorm(use_running_average=not train, momentum=0.9)(x)
        x = nn.relu(x)
        x = nn.avg_pool(x, (2, 2), strides=(2, 2))
        x = nn.Conv(12, (3, 3))(x)
        x = nn.BatchNorm(use_running_average=not train, momentum=0.9)(x)
        x = nn.relu(x)
        x = x.mean(axis=(1, 2))
        return nn.Dense(self.num_classes)(x)


class TrainState(train_state.TrainState):
    batch_stats: Any


def create_train_state(rng, lr, input_shape):
    model = CNN()
    variables = model.init(rng, jnp.ones(input_shape), train=False)
    return TrainState.create(
        apply_fn=model.apply,
        params=variables["params"],
        batch_stats=variables["batch_stats"],
        tx=optax.adamw(lr),
    )


@jax.jit
def train_step(state, images, labels):
    def loss_fn(params):
        logits, mutated = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats},
            images, train=True,
        )
        one_hot = jax.nn.one_hot(labels, logits.shape[-1])
        loss = optax.softmax_cross_entropy(logits, one_hot).mean()
        return loss, (logits, mutated)

    grad_fn = jax.value_and_grad(loss_fn, has_aux=True)
    (loss, (logits, mutated)), grads = grad_fn(state.params)
    state = state.apply_gradients(grads=grads)
    state = state.replace(batch_stats=mutated["batch_stats"])
    acc = jnp.mean(jnp.argmax(logits, -1) == labels)
    return state, loss, acc


@jax.jit
def eval_step(state, images, labels):
    logits = state.apply_fn(
        {"params": state.params, "batch_stats": state.batch_stats}, images, train=False
    )
    return jnp.mean(jnp.argmax(logits, -1) == labels)


def get_data(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    x = rng.normal(0, 0.4, (n, 16, 16, 1)).astype(np.float32)
    for i, c in enumerate(y):
        if c == 0:
            x[i, ::2] += 1.0
        elif c == 1:
            x[i, :, ::2] += 1.0
        else:
            x[i, ::2, ::2] += 1.0
    return x, y


x_train, y_train = get_data(256, 0)
x_test, y_test = get_data(120, 1)
state = create_train_state(jax.random.PRNGKey(0), 5e-3, (1, 16, 16, 1))
n_params = sum(p.size for p in jax.tree_util.tree_leaves(state.params))
print("params:", n_params)

for epoch in range(3):
    perm = np.random.permutation(len(x_train))
    for i in range(0, len(perm), 32):
        idx = perm[i:i + 32]
        state, loss, acc = train_step(state, x_train[idx], y_train[idx])
    print("epoch", epoch, "loss %.4f" % loss, "acc %.3f" % acc, "test acc %.3f" % eval_step(state, x_test, y_test))
