import argparse
import json
import os

import pandas as pd
import torch

from mf import MatrixFactorization


def recall_at_k(model, train, test, k):
    hits, total = 0, 0
    for uid, rows in test[test.rating >= 4].groupby("uid"):
        s = model.scores(uid)
        s[torch.tensor(train[train.uid == uid].iid.values)] = -1e9
        top = set(s.topk(k).indices.tolist())
        hits += len(top & set(rows.iid))
        total += len(rows)
    return hits / total


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--work", required=True)
    ap.add_argument("--model", required=True)
    ap.add_argument("--k", type=int, default=10)
    a = ap.parse_args()
    meta = json.load(open(os.path.join(a.work, "meta.json")))
    train = pd.read_csv(os.path.join(a.work, "train.csv"))
    test = pd.read_csv(os.path.join(a.work, "test.csv"))
    ckpt = torch.load(a.model)
    model = MatrixFactorization(meta["n_users"], meta["n_items"], ckpt["dim"], meta["mean"])
    model.load_state_dict(ckpt["state"])
    model.eval()
    with torch.no_grad():
        pred = model(torch.tensor(test.uid.values), torch.tensor(test.iid.values)).numpy()
        print("test rmse %.4f" % float(((pred - test.rating) ** 2).mean() ** 0.5))
        print(f"recall@{a.k} {recall_at_k(model, train, test, a.k):.3f}")


if __name__ == "__main__":
    main()
