import json
import sys
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state

from net import LoadForecaster
from windows import batches, load_windows


def create_state(rng, cfg, sample):
    model = LoadForecaster(cfg["hidden"], cfg["dropout"])
    params = model.init(rng, sample, cfg["horizon"])["params"]
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(cfg["learning_rate"]))
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=tx)


@partial(jax.jit, static_argnames=("horizon", "col"))
def train_step(state, x, y, key, horizon, col):
    def loss_fn(params):
        pred = state.apply_fn({"params": params}, x, horizon, col, train=True, rngs={"dropout": key})
        return jnp.mean((pred - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    new_state = state.apply_gradients(grads=grads)
    return state, loss


@partial(jax.jit, static_argnames=("horizon", "col"))
def predict(state, x, horizon, col):
    return state.apply_fn({"params": state.params}, x, horizon, col)


def main(config_path):
    with open(config_path) as f:
        cfg = json.load(f)
    (x_train, y_train), (x_valid, y_valid), scaler, col = load_windows(cfg)
    print(f"train windows {x_train.shape}, valid windows {x_valid.shape}")
    key = jax.random.PRNGKey(cfg["seed"])
    key, init_key = jax.random.split(key)
    state = create_state(init_key, cfg, x_train[:1])
    np_rng = np.random.default_rng(cfg["seed"])
    truth = scaler.inverse_column(y_valid, col)
    for epoch in range(1, cfg["epochs"] + 1):
        losses = []
        for x, y in batches(x_train, y_train, cfg["batch_size"], np_rng):
            key, step_key = jax.random.split(key)
            state, loss = train_step(state, x, y, step_key, cfg["horizon"], col)
            losses.append(float(loss))
        pred = scaler.inverse_column(np.asarray(predict(state, x_valid, cfg["horizon"], col)), col)
        mae = np.abs(pred - truth).mean(axis=0)
        print(f"epoch {epoch}  mse {np.mean(losses):.4f}  MAE +1h {mae[0]:.2f} MW  +{cfg['horizon']}h {mae[-1]:.2f} MW")


if __name__ == "__main__":
    main(sys.argv[1])
