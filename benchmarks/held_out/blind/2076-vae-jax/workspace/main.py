import argparse

import jax
import numpy as np

from digits import batches, load
from train_state import create_state, make_optimizer, make_step
from vae import elbo


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--hidden", type=int, default=64)
    ap.add_argument("--latent", type=int, default=6)
    ap.add_argument("--beta", type=float, default=0.5)
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--lr", type=float, default=3e-3)
    args = ap.parse_args()

    train, test = load()
    rng = np.random.default_rng(0)
    tx = make_optimizer(args.lr, args.epochs * (len(train) // args.batch))
    state = create_state(0, args.hidden, args.latent, tx)
    step = make_step(tx, args.beta)
    n = sum(p.size for p in jax.tree.leaves(state.params))
    print(f"train {train.shape} test {test.shape} params {n}")
    for epoch in range(args.epochs):
        logs = []
        for x in batches(train, args.batch, rng):
            state, m = step(state, x)
            logs.append(m)
        mean = {k: float(np.mean([float(l[k]) for l in logs])) for k in logs[0]}
        test_loss, _ = elbo(state.params, test, jax.random.key(1), args.beta)
        print(f"epoch {epoch} loss {mean['loss']:.2f} recon {mean['recon']:.2f} "
              f"kl {mean['kl']:.2f} test {float(test_loss):.2f}", flush=True)


if __name__ == "__main__":
    main()
