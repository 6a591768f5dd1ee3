import argparse
import json
import os

import pandas as pd


def main():
    ap = argparse.ArgumentParser(description="index users/items and split")
    ap.add_argument("--ratings", required=True)
    ap.add_argument("--out", required=True)
    ap.add_argument("--test-ratio", type=float, default=0.2)
    a = ap.parse_args()
    df = pd.read_csv(a.ratings)
    users = {u: i for i, u in enumerate(sorted(df.user.unique()))}
    items = {t: i for i, t in enumerate(sorted(df.item.unique()))}
    df["uid"] = df.user.map(users)
    df["iid"] = df.item.map(items)
    test = df.groupby("uid", group_keys=False).sample(frac=a.test_ratio, random_state=1)
    train = df.drop(test.index)
    train.to_csv(os.path.join(a.out, "train.csv"), index=False)
    test.to_csv(os.path.join(a.out, "test.csv"), index=False)
    meta = {"n_users": len(users), "n_items": len(items), "mean": float(train.rating.mean())}
    with open(os.path.join(a.out, "meta.json"), "w") as f:
        json.dump(meta, f)
    print(f"{len(train)} train / {len(test)} test, {meta}")


if __name__ == "__main__":
    main()
