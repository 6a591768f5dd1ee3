import numpy as np
from sklearn.preprocessing import LabelEncoder, MinMaxScaler

SPARSE = ["device", "site", "advert"]
DENSE = ["hour", "age"]


def encode(frame, history_length):
    """Return arrays by column and the number of categories by column."""
    values, sizes = {}, {}
    for name in SPARSE:
        values[name] = LabelEncoder().fit_transform(frame[name])
        sizes[name] = int(values[name].max()) + 1
    scaled = MinMaxScaler().fit_transform(frame[DENSE])
    for i, name in enumerate(DENSE):
        values[name] = scaled[:, i].astype("float32")
    adverts = sorted({a for row in frame["history"] for a in row.split("|")})
    number = {name: i + 1 for i, name in enumerate(adverts)}
    history = np.zeros((len(frame), history_length), dtype="int32")
    for i, row in enumerate(frame["history"]):
        codes = [number[a] for a in row.split("|")][:history_length]
        history[i, : len(codes)] = codes
    values["history"] = history
    sizes["history"] = len(adverts) + 1
    return values, sizes
