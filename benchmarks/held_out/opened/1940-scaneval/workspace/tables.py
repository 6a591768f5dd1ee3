import numpy as np
import pandas as pd


def load_labels(cfg):
    df = pd.read_csv(cfg["labels"])
    df = df.set_index(cfg["id_column"])
    assert df.index.is_unique, "double scan ids"
    return df


def load_scores(cfg):
    z = np.load(cfg["run"])
    names = [str(n) for n in z["findings"]]
    order = [names.index(f) for f in cfg["findings"]]
    return pd.DataFrame(z["scores"][:, order], index=[str(i) for i in z["ids"]], columns=cfg["findings"])
