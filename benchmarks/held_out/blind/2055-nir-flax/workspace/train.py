import argparse

import jax
import numpy as np

from spectra.data import epoch_batches, make_mixtures
from spectra.model import SpectrumRegressor
from spectra.training import create_state, predict, r2_scores, train_step


def main(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--n-train", type=int, default=512)
    p.add_argument("--n-test", type=int, default=128)
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--dropout", type=float, default=0.05)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args(argv)

    x_train, y_train = make_mixtures(args.n_train, seed=1)
    x_test, y_test = make_mixtures(args.n_test, seed=2)
    mean, std = x_train.mean(0), x_train.std(0)
    x_train, x_test = (x_train - mean) / std, (x_test - mean) / std

    model = SpectrumRegressor(n_targets=y_train.shape[1], dropout=args.dropout)
    steps = args.epochs * (args.n_train // args.batch_size)
    state = create_state(model, jax.random.key(args.seed), x_train[:1], steps, args.lr, weight_decay=1e-4)
    n_params = sum(p.size for p in jax.tree.leaves(state.params))
    print(f"{n_params} parameters, {steps} steps on {jax.default_backend()}")

    rng = np.random.default_rng(args.seed)
    for epoch in range(1, args.epochs + 1):
        losses = []
        for xb, yb in epoch_batches(x_train, y_train, args.batch_size, rng):
            state, loss = train_step(state, xb, yb)
            losses.append(loss)
        if epoch % 5 == 0 or epoch == 1:
            r2 = r2_scores(predict(state, x_test), y_test)
            print(f"epoch {epoch:3d}  loss {np.mean(losses):.5f}  test R2 " + " ".join(f"{float(v):.3f}" for v in r2))


if __name__ == "__main__":
    main()
