import numpy as np
import pandas as pd


def synthesize(s):
    """Implicit feedback log: one row per (user, item) with a timestamp."""
    rng = np.random.default_rng(s.seed)
    taste = rng.normal(size=(s.n_users, 6))
    style = rng.normal(size=(s.n_items, 6))
    rows = []
    for u in range(s.n_users):
        logits = taste[u] @ style.T + rng.gumbel(size=s.n_items)
        picked = np.argsort(-logits)[: s.per_user]
        rng.shuffle(picked)
        rows += [(f"u{u:04d}", f"i{i:05d}", t) for t, i in enumerate(picked)]
    return pd.DataFrame(rows, columns=["user", "item", "ts"])


class InteractionTable:
    def __init__(self, frame):
        self.users = sorted(frame["user"].unique())
        self.items = sorted(frame["item"].unique())
        uid = {u: k for k, u in enumerate(self.users)}
        iid = {i: k for k, i in enumerate(self.items)}
        frame = frame.assign(uid=frame["user"].map(uid), iid=frame["item"].map(iid))
        frame = frame.sort_values(["uid", "ts"])
        last = frame.groupby("uid").tail(1).index
        self.test = frame.loc[last]
        self.train = frame.drop(last)
        self.seen = self.train.groupby("uid")["iid"].apply(set).to_dict()

    @property
    def n_users(self):
        return len(self.users)

    @property
    def n_items(self):
        return len(self.items)
