"""Active learning of beer faults with a committee of small networks."""
import argparse
import warnings

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, StandardScaler

from strategies import REGISTRY

warnings.simplefilter("ignore", ConvergenceWarning)
NUMERIC = ["ferm_temp", "o2_ppb", "ph", "days"]
NOMINAL = ["yeast", "tank"]


class Bench:
    def __init__(self, frame, start, seed):
        self.rng = np.random.default_rng(seed)
        self.coder = LabelEncoder()
        y = self.coder.fit_transform(frame.pop("fault"))
        prep = make_column_transformer(
            (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), NUMERIC),
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), NOMINAL),
        )
        work, test, y_work, self.y_test = train_test_split(frame, y, test_size=0.25, stratify=y, random_state=seed)
        self.x_work = prep.fit_transform(work)
        self.x_test = prep.transform(test)
        self.y_work = y_work
        labelled, _ = train_test_split(np.arange(len(work)), train_size=start, stratify=y_work, random_state=seed)
        self.labelled = np.zeros(len(work), dtype=bool)
        self.labelled[labelled] = True

    @property
    def pool(self):
        return np.flatnonzero(~self.labelled)

    def committee(self, size):
        known = np.flatnonzero(self.labelled)
        members = []
        for k in range(size):
            boot = self.rng.choice(known, size=len(known))
            boot = np.union1d(boot, self.one_per_class(known))
            net = MLPClassifier((24,), alpha=1e-2, max_iter=60, learning_rate_init=0.02, random_state=k)
            members.append(net.fit(self.x_work[boot], self.y_work[boot]))
        return members

    def one_per_class(self, known):
        _, first = np.unique(self.y_work[known], return_index=True)
        return known[first]

    def score(self, members):
        p = np.mean([m.predict_proba(self.x_test) for m in members], axis=0)
        return balanced_accuracy_score(self.y_test, p.argmax(1)), log_loss(self.y_test, p)

    def annotate(self, order, budget):
        chosen = self.pool[order[:budget]]
        self.labelled[chosen] = True
        return chosen


def run(args):
    frame = pd.read_csv(args.table, index_col="batch")
    bench = Bench(frame, args.start, args.seed)
    query = REGISTRY[args.strategy]
    print(f"classes: {', '.join(bench.coder.classes_)}; work set {len(bench.x_work)}, test set {len(bench.y_test)}")
    for rnd in range(args.rounds):
        members = bench.committee(args.members)
        acc, nll = bench.score(members)
        print(f"round {rnd}: labels {bench.labelled.sum():4d}  bal. accuracy {acc:.3f}  log loss {nll:.3f}", flush=True)
        pool = bench.pool
        order = query(members, bench.x_work[pool], bench.rng)
        picked = bench.annotate(order, args.budget)
        counts = np.bincount(bench.y_work[picked], minlength=len(bench.coder.classes_))
        print("         asked:", dict(zip(bench.coder.classes_, counts.tolist())))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--table", default="batches.csv")
    ap.add_argument("--strategy", choices=sorted(REGISTRY), default="vote_kl")
    ap.add_argument("--start", type=int, default=14)
    ap.add_argument("--budget", type=int, default=24)
    ap.add_argument("--rounds", type=int, default=6)
    ap.add_argument("--members", type=int, default=4)
    ap.add_argument("--seed", type=int, default=2)
    run(ap.parse_args())
