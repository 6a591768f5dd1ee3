import argparse
from pathlib import Path

import yaml


def parser(**kw):
    p = argparse.ArgumentParser(**kw)
    p.add_argument("--config", type=Path, required=True)
    return p


def load_params(path):
    with open(path) as fh:
        return yaml.safe_load(fh)


def ensure_parent(path):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
