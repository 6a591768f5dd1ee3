import json

import numpy as np
import pandas as pd


class Panel:
    """The takes of the speakers listed in panel.json, cropped to one length."""

    def __init__(self, work="work", panel="panel.json"):
        self.spec = json.load(open(panel))
        self.ids = {s: k for k, s in enumerate(self.spec["speakers"])}
        man = pd.read_csv(f"{work}/manifest.csv")
        man = man[man["speaker"].isin(self.ids)]
        man = man[man["frames"] >= self.spec["crop"]]
        held = man["take"].isin(self.spec["dev_takes"])
        self.store = np.load(f"{work}/feats.npz")
        self.train = self._arrays(man[~held])
        self.dev = self._arrays(man[held])

    def _arrays(self, rows):
        n = self.spec["crop"]
        x = np.stack([self.store[u][:n] for u in rows["utt"]])
        y = np.array([self.ids[s] for s in rows["speaker"]])
        return x, y

    def standardise(self):
        mu = self.train[0].mean((0, 1))
        sd = self.train[0].std((0, 1)) + 1e-6
        self.train = ((self.train[0] - mu) / sd, self.train[1])
        self.dev = ((self.dev[0] - mu) / sd, self.dev[1])
        return self
