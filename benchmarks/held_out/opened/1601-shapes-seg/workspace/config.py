"""Defaults and loading of the YAML settings."""
import copy

import yaml

DEFAULTS = {
    "seed": 0,
    "data": {
        "image_size": 96,
        "train_images": 512,
        "val_images": 64,
        "max_objects": 3,
        "noise": 0.1,
    },
    "model": {"in_channels": 3, "num_classes": 4, "width": 16, "depth": 3},
    "loss": {"class_weights": None, "ignore_index": -100, "dice_weight": 0.0},
    "train": {"epochs": 10, "batch_size": 8, "lr": 1e-3, "weight_decay": 0.0},
}


def merge(base, override):
    out = copy.deepcopy(base)
    for key, value in override.items():
        if isinstance(value, dict) and isinstance(out.get(key), dict):
            out[key] = merge(out[key], value)
        else:
            out[key] = value
    return out


def load_config(path):
    with open(path) as f:
        user = yaml.safe_load(f) or {}
    return merge(DEFAULTS, user)
