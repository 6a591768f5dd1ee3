from types import SimpleNamespace

import yaml


def _to_ns(node):
    if isinstance(node, dict):
        return SimpleNamespace(**{k: _to_ns(v) for k, v in node.items()})
    return node


def load_config(path):
    with open(path) as fh:
        return _to_ns(yaml.safe_load(fh))
