import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import params as P


class CategoryEncoder:
    """Codes start at 1; 0 is kept for values not seen in training."""

    def fit(self, frame, columns):
        self.columns = columns
        self.maps = {c: {v: i + 1 for i, v in enumerate(sorted(frame[c].unique()))} for c in columns}
        return self

    def transform(self, frame):
        cols = [frame[c].map(self.maps[c]).fillna(0) for c in self.columns]
        return np.stack(cols, axis=1).astype("int64")

    def sizes(self):
        return [len(self.maps[c]) + 1 for c in self.columns]


def load():
    df = pd.read_csv(P.CSV)
    train, test = train_test_split(df, test_size=0.2, random_state=P.SEED)
    train, test = train.copy(), test.copy()

    zones = KMeans(P.N_ZONES, n_init=4, random_state=P.SEED).fit(train[P.GEO])
    train["zone"] = zones.predict(train[P.GEO])
    test["zone"] = zones.predict(test[P.GEO])

    columns = P.CATEGORICAL + ["zone"]
    enc = CategoryEncoder().fit(train, columns)
    num = StandardScaler().fit(train[P.NUMERIC])
    y_scale = StandardScaler().fit(train[P.TARGET])

    def pack(frame):
        return (
            enc.transform(frame),
            num.transform(frame[P.NUMERIC]).astype("float32"),
            y_scale.transform(frame[[P.TARGET]]).astype("float32").ravel(),
        )

    return pack(train), pack(test), enc.sizes(), y_scale
