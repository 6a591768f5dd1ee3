import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
import yaml
from flax.training.train_state import TrainState

from tinylm import corpus
from tinylm.net import TinyLM
from tinylm.optim import make_optimizer


def masked_loss(logits, targets):
    keep = targets != 0
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, targets)
    return (losses * keep).sum() / keep.sum()


@jax.jit
def train_step(state, rows, key):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, rows[:, :-1], train=True,
                                rngs={"dropout": key})
        return masked_loss(logits, rows[:, 1:])

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


@jax.jit
def eval_step(state, rows):
    logits = state.apply_fn({"params": state.params}, rows[:, :-1])
    return masked_loss(logits, rows[:, 1:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="train.yaml")
    parser.add_argument("--log-every", type=int, default=2, metavar="EPOCHS")
    args = parser.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)

    opt_cfg, seq_len = cfg["optim"], cfg["data"]["seq_len"]
    train_rows, val_rows = corpus.load(
        cfg["data"]["sentences"], seq_len, cfg["data"]["val_fraction"], cfg["seed"])
    loader = list(corpus.batches(train_rows, opt_cfg["batch_size"]))
    num_steps = opt_cfg["epochs"]
    print(f"{len(train_rows)} train rows, {len(val_rows)} val rows, "
          f"{len(loader)} batches per epoch")

    key = jax.random.PRNGKey(cfg["seed"])
    model = TinyLM(vocab=len(corpus.CHARS), seq_len=seq_len, **cfg["model"])
    params = model.init(key, jnp.zeros((1, seq_len), jnp.int32))["params"]
    print(f"{sum(p.size for p in jax.tree.leaves(params))} parameters")
    tx, schedule = make_optimizer(opt_cfg, num_steps)
    state = TrainState.create(apply_fn=model.apply, params=params, tx=tx)

    rng = np.random.default_rng(cfg["seed"])
    for epoch in range(1, opt_cfg["epochs"] + 1):
        losses = []
        for rows in corpus.batches(train_rows, opt_cfg["batch_size"], rng):
            key, sub = jax.random.split(key)
            state, loss = train_step(state, rows, sub)
            losses.append(loss)
        if epoch % args.log_every == 0:
            val = [eval_step(state, r) for r in corpus.batches(val_rows, 64)]
            print(f"epoch {epoch}  lr {schedule(state.step):.2e}  "
                  f"train {np.mean(losses):.3f}  val {np.mean(val):.3f}")


if __name__ == "__main__":
    main()
