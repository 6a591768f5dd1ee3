import pandas as pd


def read_source(src, features):
    df = pd.read_csv(src["file"], sep=src.get("sep", ","), decimal=src.get("decimal", "."))
    df = df.rename(columns=src.get("rename", {}))
    missing = [c for c in features["columns"] + [features["time"]] if c not in df.columns]
    if missing:
        raise KeyError(f"{src['name']}: columns {missing} not in {list(df.columns)}")
    df[features["time"]] = pd.to_datetime(df[features["time"]])
    df["plant"] = src["name"]
    return df[[features["time"], "plant"] + features["columns"]].dropna()


def read_all(cfg):
    parts = [read_source(s, cfg["features"]) for s in cfg["source"] if s["train"]]
    df = pd.concat(parts, ignore_index=True)
    return df.sort_values(["plant", cfg["features"]["time"]]).reset_index(drop=True)
