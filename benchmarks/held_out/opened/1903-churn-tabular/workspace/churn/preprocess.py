import json
from pathlib import Path

import numpy as np
import pandas as pd


def read_customers(path):
    df = pd.read_csv(path)
    df["payment"] = df["payment"].fillna("unknown")
    return df


def get_vocab(df, cfg):
    """category -> integer code for each categorical column; kept on disk so that serving uses the same codes"""
    fn = Path(cfg["cache_dir"]) / "vocab.json"
    if fn.exists() and not cfg["rebuild_vocab"]:
        print("using vocabulary from", fn)
        return json.loads(fn.read_text())
    vocab = {c: {v: i for i, v in enumerate(sorted(df[c].unique()))} for c in cfg["categorical"]}
    fn.parent.mkdir(exist_ok=True)
    fn.write_text(json.dumps(vocab, indent=1))
    print("vocabulary written to", fn)
    return vocab


def encode(df, vocab, cfg):
    cats = np.stack([df[c].map(vocab[c]).to_numpy() for c in cfg["categorical"]], axis=1)
    nums = df[cfg["numeric"]].to_numpy(dtype=np.float32)
    nums = (nums - nums.mean(0)) / nums.std(0)
    y = df[cfg["target"]].to_numpy(dtype=np.float32)
    return cats.astype(np.int64), nums, y
