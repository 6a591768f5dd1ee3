import os
import sys

import torch
import yaml


def start(default):
    path = sys.argv[1] if len(sys.argv) > 1 else default
    with open(path) as f:
        cfg = yaml.safe_load(f)
    torch.manual_seed(cfg["seed"])
    torch.set_num_threads(1)
    print("config:", path)
    return cfg, torch.Generator().manual_seed(cfg["seed"])


def save_encoder(encoder, run_dir):
    os.makedirs(run_dir, exist_ok=True)
    fn = os.path.join(run_dir, "encoder.pt")
    torch.save(encoder.state_dict(), fn)
    print("encoder saved:", fn)


def load_encoder(encoder, fn):
    state = torch.load(fn, map_location="cpu", weights_only=True)
    encoder.load_state_dict(state)
    print("encoder loaded:", fn)
    return encoder
