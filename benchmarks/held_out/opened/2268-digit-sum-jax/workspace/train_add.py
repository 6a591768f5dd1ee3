import json
import sys

import jax
import numpy as np
import optax

from addnet.model import AddTransformer
from addnet.optim import make_optimizer
from addnet.task import epoch_batches, make_split


def main(config_path):
    with open(config_path) as fh:
        cfg = json.load(fh)
    task = cfg["task"]
    x, y = make_split(task["n_train"], task["digits"], seed=cfg["seed"])
    x_test, y_test = make_split(task["n_test"], task["digits"], seed=cfg["seed"] + 1)

    model = AddTransformer(out_len=y.shape[1], **cfg["model"])
    params = model.init(jax.random.PRNGKey(cfg["seed"]), x[:1])
    tx = make_optimizer(cfg, steps_per_epoch=len(x) // cfg["batch_size"])
    opt_state = tx.init(params)

    def loss_fn(params, xb, yb):
        logits = model.apply(params, xb)
        return optax.softmax_cross_entropy_with_integer_labels(logits, yb).mean()

    @jax.jit
    def step(params, opt_state, xb, yb):
        loss, grads = jax.value_and_grad(loss_fn)(params, xb, yb)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(cfg["seed"])
    for epoch in range(cfg["epochs"]):
        losses = []
        for xb, yb in epoch_batches(x, y, cfg["batch_size"], rng):
            params, opt_state, loss = step(params, opt_state, xb, yb)
            losses.append(float(loss))
        digit_acc = (model.apply(params, x_test).argmax(-1) == y_test).mean()
        print(f"epoch {epoch}  loss {np.mean(losses):.3f}  digit accuracy {digit_acc:.3f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "conf/small.json")
