import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState

from molgraph.data import batches, make_dataset
from molgraph.model import MoleculeClassifier


def loss_fn(params, state, batch):
    logits = state.apply_fn({"params": params}, batch)
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch.labels).mean()
    return loss, (logits.argmax(-1) == batch.labels).mean()


@jax.jit
def train_step(state, batch):
    (loss, acc), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params, state, batch)
    return state.apply_gradients(grads=grads), loss, acc


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--batch-size", type=int, default=16)
    ap.add_argument("--node-budget", type=int, default=240)
    ap.add_argument("--edge-budget", type=int, default=520)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    graphs = make_dataset(320, n_types=5, seed=args.seed)
    rng = np.random.default_rng(args.seed)
    budgets = (args.node_budget, args.edge_budget)
    sizes = [len(g.nodes) for g in graphs]
    print(f"{len(graphs)} molecules, {np.mean(sizes):.1f} atoms on average")

    model = MoleculeClassifier(hidden=32, layers=3, n_graphs=args.batch_size)
    example = next(batches(graphs, args.batch_size, *budgets, rng))
    params = model.init(jax.random.key(args.seed), example)["params"]
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(args.lr))
    state = TrainState.create(apply_fn=model.apply, params=params, tx=tx)

    step = 0
    for epoch in range(args.epochs):
        accs = []
        for batch in batches(graphs, args.batch_size, *budgets, rng):
            state, loss, acc = train_step(state, batch)
            step += 1
            if not jnp.isfinite(loss):
                raise FloatingPointError(f"loss became {float(loss)} at step {step}")
            accs.append(float(acc))
        print(f"epoch {epoch} loss {float(loss):.4f} accuracy {np.mean(accs):.3f}")


if __name__ == "__main__":
    main()
