import argparse
import json

import jax
import numpy as np
from scipy.stats import spearmanr

import mlp
from assays import assay, family_folds, one_hot


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--fold", type=int, required=True)
    ap.add_argument("--folds", type=int, default=5)
    ap.add_argument("--steps", type=int, default=200)
    ap.add_argument("--hidden", type=int, default=32)
    ap.add_argument("--out", required=True)
    args = ap.parse_args()

    seqs, y, family = assay()
    train_idx, test_idx = family_folds(family, args.folds)[args.fold]
    x = one_hot(seqs)
    params = mlp.init(jax.random.PRNGKey(args.fold), (x.shape[1], args.hidden, args.hidden, 1))
    params, loss = mlp.train(params, x[train_idx], y[train_idx], args.steps)
    pred = np.asarray(mlp.apply(params, x[test_idx]))
    rho = float(spearmanr(pred, y[test_idx]).statistic)
    rmse = float(np.sqrt(np.mean((pred - y[test_idx]) ** 2)))
    print(f"fold {args.fold}: {len(train_idx)} / {len(test_idx)} peptides, train mse {loss:.3f}, rho {rho:.3f}, rmse {rmse:.3f}")
    with open(args.out, "w") as f:
        json.dump({"fold": args.fold, "rho": rho, "rmse": rmse}, f)


if __name__ == "__main__":
    main()
