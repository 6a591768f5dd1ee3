# Pool-based active learning with margin sampling: which beans should the expert grade next?
import argparse

import numpy as np

from nnet import TwoLayerNet

CLASSES = ["arabica", "robusta", "liberica", "defect"]


def beans(n, rng):
    centers = np.random.default_rng(77).normal(size=(len(CLASSES), 10)) * 0.9
    y = rng.integers(0, len(CLASSES), n)
    X = centers[y] + rng.normal(size=(n, 10))
    return X, y


def margin(model, X):
    p = np.sort(model.predict_proba(X), axis=1)
    return p[:, -1] - p[:, -2]


class Campaign:
    def __init__(self, X, y, n_start, rng):
        first = rng.choice(len(y), n_start, replace=False)
        self.X_lab, self.y_lab = X[first], y[first]
        self.X_pool = np.delete(X, first, axis=0)
        self.y_pool = np.delete(y, first)

    def query(self, model, n):
        """Move the n least certain samples from the pool to the labelled set."""
        idx = np.argsort(margin(model, self.X_pool))[:n]
        self.X_lab = np.concatenate([self.X_lab, self.X_pool[idx]])
        self.y_lab = np.concatenate([self.y_lab, self.y_pool[idx]])
        self.X_pool = np.delete(self.X_pool, idx, axis=0)
        self.y_pool = np.delete(self.y_pool, idx)
        return idx


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rounds", type=int, default=8)
    ap.add_argument("--start", type=int, default=24)
    ap.add_argument("--per-round", type=int, default=120)
    ap.add_argument("--hidden", type=int, default=24)
    args = ap.parse_args()

    rng = np.random.default_rng(5)
    X, y = beans(1500, rng)
    X_test, y_test = beans(500, rng)
    mu, sd = X.mean(0), X.std(0)
    X, X_test = (X - mu) / sd, (X_test - mu) / sd
    # the lab delivers plot by plot: mix before the first batch is drawn
    X = X[rng.permutation(len(y))]
    y = y[rng.permutation(len(y))]

    camp = Campaign(X, y, args.start, rng)
    for r in range(args.rounds + 1):
        net = TwoLayerNet(X.shape[1], args.hidden, len(CLASSES), seed=r)
        loss = net.fit(camp.X_lab, camp.y_lab)
        print(f"round {r}: labelled {len(camp.y_lab):4d}  loss {loss:.3f}  "
              f"train acc {net.score(camp.X_lab, camp.y_lab):.3f}  test acc {net.score(X_test, y_test):.3f}")
        if r < args.rounds:
            camp.query(net, args.per_round)
    per_class = [net.score(X_test[y_test == c], y_test[y_test == c]) for c in range(len(CLASSES))]
    print("per class:", dict(zip(CLASSES, np.round(per_class, 2).tolist())))


if __name__ == "__main__":
    main()
