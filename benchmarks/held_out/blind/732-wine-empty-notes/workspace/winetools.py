"""Helpers for the wine notebook."""
import re
from collections import Counter

import pandas as pd

STOP = {"and", "with", "a", "of", "the"}


def load_wines(path):
    df = pd.read_csv(path)
    df.columns = [c.strip().lower() for c in df.columns]
    return df


def add_features(df, year=2024):
    out = df.copy()
    out["age"] = year - out["vintage"]
    out["value"] = out["points"] / out["price"]
    out["oaky"] = out["notes"].map(lambda s: int("oak" in s.split()))
    return out


def top_terms(notes, k=10):
    counts = Counter()
    for text in notes:
        counts.update(w for w in re.findall(r"[a-z]+", text) if w not in STOP)
    return counts.most_common(k)
