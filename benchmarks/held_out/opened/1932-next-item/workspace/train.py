import tomllib

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState

from nextitem import NextItem
from sessions import Sessions


class DivergedError(RuntimeError):
    pass


@jax.jit
def train_step(state, x, y, rng):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x, train=True, rngs={"dropout": rng})
        ce = optax.softmax_cross_entropy_with_integer_labels(logits, y)
        w = (y > 0).astype(jnp.float32)
        return (ce * w).sum() / w.sum()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


@jax.jit
def ranks(state, x, y):
    logits = state.apply_fn({"params": state.params}, x)[:, -1]
    target = jnp.take_along_axis(logits, y[:, None], 1)
    return (logits[:, 1:] > target).sum(1)


def main():
    with open("hparams.toml", "rb") as f:
        hp = tomllib.load(f)
    data = Sessions(**hp["data"])
    tr = hp["train"]
    x, y = data.train()
    xt, yt = data.test()
    print(f"{len(x)} sessions, {len(data.index)} items")

    model = NextItem(n_tokens=data.n_tokens, max_len=data.max_len, **hp["model"])
    rng = jax.random.PRNGKey(tr["seed"])
    rng, key = jax.random.split(rng)
    params = model.init(key, x[:1])["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(tr["lr"]))
    shuffle = np.random.default_rng(tr["seed"])

    for epoch in range(tr["epochs"]):
        losses = []
        order = shuffle.permutation(len(x))
        for i in range(0, len(x) - tr["batch"] + 1, tr["batch"]):
            b = order[i:i + tr["batch"]]
            rng, key = jax.random.split(rng)
            state, loss = train_step(state, x[b], y[b], key)
            losses.append(float(loss))
        if not np.isfinite(np.mean(losses)):
            raise DivergedError(f"loss is {np.mean(losses)} in epoch {epoch}")
        if epoch % 4 == 3:
            r = np.asarray(ranks(state, xt, yt))
            print(f"epoch {epoch + 1:2d} loss {np.mean(losses):.3f} "
                  f"hit@5 {np.mean(r < 5):.3f} mrr {np.mean(1 / (r + 1)):.3f}")


if __name__ == "__main__":
    main()
