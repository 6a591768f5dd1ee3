#!/usr/bin/env python
"""Report for one run: evaluate.py configs/eval.yaml"""
import json
import os
import sys

import numpy as np
import yaml

from stats import auc, bootstrap_ci, specificity_at
from tables import load_labels, load_scores


def overall(cfg, labels, scores):
    result = {}
    for f in cfg["findings"]:
        y, s = labels[f].to_numpy(), scores[f].to_numpy()
        lo, hi = bootstrap_ci(auc, y, s, cfg["bootstrap"])
        spec, thr = specificity_at(y, s, cfg["operating_sensitivity"])
        result[f] = dict(auc=round(float(auc(y, s)), 4), ci=[round(float(lo), 4), round(float(hi), 4)],
                         specificity=round(float(spec), 4), threshold=round(float(thr), 4))
        print(f"{f:10s} n+={int(y.sum()):3d} AUC {result[f]['auc']:.3f} [{lo:.3f}, {hi:.3f}] spec {spec:.3f}")
    return result


def by_group(cfg, labels, scores):
    for column in cfg["subgroups"]:
        for value, part in labels.groupby(column):
            s = scores.loc[part.index]
            aucs = [auc(part[f].to_numpy(), s[f].to_numpy()) for f in cfg["findings"]]
            print(f"  {column}={value:8s} n={len(part):3d} mean AUC {np.nanmean(aucs):.3f}")


def main():
    with open(sys.argv[1]) as fh:
        cfg = yaml.safe_load(fh)
    labels = load_labels(cfg)
    scores = load_scores(cfg)
    print(f"{len(labels)} labelled scans, {len(scores)} scored")
    labels = labels.loc[scores.index]
    result = overall(cfg, labels, scores)
    by_group(cfg, labels, scores)
    target = os.path.join(os.path.dirname(cfg["run"]), "report.json")
    with open(target, "w") as fh:
        json.dump(result, fh, indent=1)
    print("->", target)


if __name__ == "__main__":
    main()
