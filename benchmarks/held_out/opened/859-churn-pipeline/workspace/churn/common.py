import argparse
from pathlib import Path

import yaml


def get_params():
    ap = argparse.ArgumentParser()
    ap.add_argument("--params", default="params.yaml")
    args = ap.parse_args()
    with open(args.params) as fh:
        return yaml.safe_load(fh)


def ensure_parent(path):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return path
