from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state

from data import batches, get_datasets


class CNN(nn.Module):
    num_classes: int = 10

    @nn.compact
    def __call__(self, x, train: bool = True):
        x = nn.Conv(16, (3, 3), use_bias=False)(x)
        x = nn.BatchNorm(use_running_average=not train, momentum=0.9)(x)
        x = nn.relu(x)
        x = nn.max_pool(x, (2, 2), strides=(2, 2))
        x = nn.Conv(32, (3, 3))(x)
        x = nn.relu(x)
        x = x.reshape((x.shape[0], -1))
        x = nn.Dense(64)(x)
        x = nn.relu(x)
        return nn.Dense(self.num_classes)(x)


class TrainState(train_state.TrainState):
    batch_stats: Any


def create_train_state(rng, lr):
    cnn = CNN()
    variables = cnn.init(rng, jnp.ones((1, 8, 8, 1)), train=False)
    return TrainState.create(
        apply_fn=cnn.apply,
        params=variables["params"],
        batch_stats=variables["batch_stats"],
        tx=optax.adam(lr),
    )


@jax.jit
def train_step(state, batch):
    def loss_fn(params):
        logits, updates = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats},
            batch["image"],
            train=True,
        )
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()
        return loss, (logits, updates)

    (loss, (logits, updates)), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    state = state.apply_gradients(grads=grads, batch_stats=updates["batch_stats"])
    acc = jnp.mean(jnp.argmax(logits, -1) == batch["label"])
    return state, loss, acc


@jax.jit
def eval_step(state, batch):
    logits = state.apply_fn(
        {"params": state.params, "batch_stats": state.batch_stats}, batch["image"], train=False
    )
    return jnp.mean(jnp.argmax(logits, -1) == batch["label"])


def main():
    train_ds, test_ds = get_datasets()
    rng = np.random.default_rng(1)
    state = create_train_state(jax.random.PRNGKey(0), lr=2e-3)
    n_params = sum(x.size for x in jax.tree_util.tree_leaves(state.params))
    print("parameters:", n_params)

    for epoch in range(3):
        losses, accs = [], []
        for batch in batches(train_ds, 64, rng):
            state, loss, acc = train_step(state, batch)
            losses.append(float(loss))
            accs.append(float(acc))
        test_acc = np.mean([float(eval_step(state, b)) for b in batches(test_ds, 64)])
        print(f"epoch {epoch}: loss {np.mean(losses):.4f} train acc {np.mean(accs):.3f} test acc {test_acc:.3f}")


if __name__ == "__main__":
    main()
