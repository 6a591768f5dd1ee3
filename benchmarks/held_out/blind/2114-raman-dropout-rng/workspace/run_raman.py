import json
import sys
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state
from flax.traverse_util import path_aware_map

from models import RamanNet
from spectra import MINERALS, synthesise


@dataclass
class Options:
    epochs: int = 4
    batch: int = 32
    lr_head: float = 1e-2
    lr_backbone: float = 2e-3
    weight_decay: float = 1e-4
    widths: list = field(default_factory=lambda: [8, 16])
    seed: int = 0


class TrainState(train_state.TrainState):
    batch_stats: Any
    dropout_key: jax.Array


def make_optimizer(params, opt: Options):
    def group(path, _):
        return "head" if path[0] == "head" else "backbone"

    return optax.multi_transform(
        {
            "head": optax.adamw(opt.lr_head, weight_decay=opt.weight_decay),
            "backbone": optax.adamw(opt.lr_backbone, weight_decay=opt.weight_decay),
        },
        path_aware_map(group, params),
    )


def create_state(opt: Options, sample):
    model = RamanNet(n_classes=len(MINERALS), widths=tuple(opt.widths))
    init_key, drop_key = jax.random.split(jax.random.PRNGKey(opt.seed))
    variables = model.init(init_key, sample)
    return TrainState.create(
        apply_fn=model.apply,
        params=variables["params"],
        tx=make_optimizer(variables["params"], opt),
        batch_stats=variables["batch_stats"],
        dropout_key=drop_key,
    )


@jax.jit
def train_step(state, x, y):
    drop = jax.random.fold_in(state.dropout_key, state.step)

    def loss_fn(params):
        logits, mutated = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats},
            x,
            train=True,
            mutable=["batch_stats"],
        )
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()
        return loss, mutated["batch_stats"]

    (loss, stats), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return state.apply_gradients(grads=grads, batch_stats=stats), loss


@jax.jit
def eval_step(state, x, y):
    logits = state.apply_fn({"params": state.params, "batch_stats": state.batch_stats}, x)
    return (logits.argmax(-1) == y).mean()


def main():
    opt = Options(**json.load(open(sys.argv[1]))) if len(sys.argv) > 1 else Options()
    x, y = synthesise(60, seed=opt.seed)
    xt, yt = synthesise(20, seed=opt.seed + 1)
    state = create_state(opt, jnp.asarray(x[:2]))
    rng = np.random.default_rng(opt.seed)
    for epoch in range(opt.epochs):
        order = rng.permutation(len(x))
        losses = []
        for i in range(0, len(order) - opt.batch + 1, opt.batch):
            idx = order[i:i + opt.batch]
            state, loss = train_step(state, x[idx], y[idx])
            losses.append(float(loss))
        print(f"epoch {epoch}: loss {np.mean(losses):.4f}, test accuracy {float(eval_step(state, xt, yt)):.3f}")


if __name__ == "__main__":
    main()
