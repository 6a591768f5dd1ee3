import json

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState

from dynamics import simulate
from net import DynamicsNet


def create_state(cfg, state_dim, action_dim, key, n_steps):
    net = DynamicsNet(tuple(cfg["net"]["hidden"]), state_dim, cfg["net"]["dropout"])
    params = net.init(key, jnp.zeros((1, state_dim)), jnp.zeros((1, action_dim)))["params"]
    schedule = optax.cosine_decay_schedule(cfg["train"]["lr"], n_steps)
    return TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(schedule))


@jax.jit
def train_step(ts, batch, key):
    s, a, s_next = batch
    key = jax.random.fold_in(key, ts.step)

    def loss_fn(params):
        delta = ts.apply_fn({"params": params}, s, a, train=True, rngs={"dropout": key})
        err = jnp.square(s + delta - s_next)
        return err.mean(), err.mean(axis=0)

    grad_fn = jax.value_and_grad(loss_fn)
    (loss, per_dim), grads = grad_fn(ts.params)
    return ts.apply_gradients(grads=grads), loss, per_dim


@jax.jit
def eval_step(ts, batch):
    s, a, s_next = batch
    delta = ts.apply_fn({"params": ts.params}, s, a)
    return jnp.abs(s + delta - s_next).mean()


def batches(arrays, size, rng):
    order = rng.permutation(len(arrays[0]))
    for i in range(0, len(order) - size + 1, size):
        pick = order[i:i + size]
        yield tuple(x[pick] for x in arrays)


def main():
    with open("config.json") as f:
        cfg = json.load(f)
    states, actions, nexts = simulate(**cfg["sim"])
    n_train = int(0.85 * len(states))
    train = (states[:n_train], actions[:n_train], nexts[:n_train])
    val = (states[n_train:], actions[n_train:], nexts[n_train:])
    print("transitions:", n_train, "train,", len(states) - n_train, "val")

    size, epochs = cfg["train"]["batch_size"], cfg["train"]["epochs"]
    key = jax.random.PRNGKey(cfg["train"]["seed"])
    init_key, drop_key = jax.random.split(key)
    ts = create_state(cfg, states.shape[1], actions.shape[1], init_key, epochs * (n_train // size))
    rng = np.random.default_rng(cfg["train"]["seed"])
    for epoch in range(epochs):
        losses = []
        for batch in batches(train, size, rng):
            ts, loss, per_dim = train_step(ts, batch, drop_key)
            losses.append(float(loss))
        print(f"epoch {epoch}: mse {np.mean(losses):.5f}  val mae {float(eval_step(ts, val)):.4f}  "
              f"per dim {np.round(np.asarray(per_dim), 4)}")


if __name__ == "__main__":
    main()
