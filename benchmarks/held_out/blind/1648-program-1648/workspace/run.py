import argparse

import jax
import numpy as np

from homes import FEATURES, Standardizer, batches, make_homes
from regressor import PriceNet
from steps import create_state, eval_step, train_step


def main(argv=None):
    p = argparse.ArgumentParser(description="Quantile regression of home prices")
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--width", type=int, default=64)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args(argv)

    x_train, y_train = make_homes(2048, args.seed)
    x_test, y_test = make_homes(512, args.seed + 1)
    sx, sy = Standardizer().fit(x_train), Standardizer().fit(y_train)
    x_train, x_test = sx(x_train), sx(x_test)
    y_train, y_test = sy(y_train), sy(y_test)

    model = PriceNet(width=args.width)
    steps = args.epochs * (len(x_train) // args.batch_size)
    state = create_state(model, len(FEATURES), args.lr, steps, jax.random.key(args.seed))
    rng = np.random.default_rng(args.seed)

    for epoch in range(args.epochs):
        losses = []
        for xb, yb in batches(x_train, y_train, args.batch_size, rng):
            state, loss = train_step(state, xb, yb, model.quantiles)
            losses.append(loss)
        print(f"epoch {epoch} train pinball {np.mean(losses):.4f}", flush=True)
        scores = [eval_step(state, xb, yb, model.quantiles)
                  for xb, yb in batches(x_test, y_test, 128)]
        loss, cover = np.mean(np.array(scores), axis=0)
        print(f"epoch {epoch} test pinball {loss:.4f} coverage {cover:.3f}", flush=True)


if __name__ == "__main__":
    main()
