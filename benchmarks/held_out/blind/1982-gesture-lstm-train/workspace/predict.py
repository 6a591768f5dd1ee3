import argparse

import pandas as pd
import torch
import yaml

from data import GESTURES, read_sequences
from model import build_model


def load_model(cfg):
    model = build_model(cfg)
    checkpoint = torch.load(cfg["checkpoint"], map_location="cpu")
    model.load_state_dict(checkpoint["model"])
    print(f"loaded {cfg['checkpoint']} (epoch {checkpoint['epoch']})")
    return model.eval()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    args = parser.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)

    ids, x, _ = read_sequences(**cfg["data"])
    print(f"{len(ids)} recordings from {cfg['data']['path']}")
    model = load_model(cfg)

    with torch.no_grad():
        probs = torch.softmax(model(x), dim=1)
    conf, idx = probs.max(dim=1)
    out = pd.DataFrame(
        {"id": ids, "gesture": [GESTURES[i] for i in idx], "confidence": conf.numpy().round(3)}
    )
    out.to_csv(cfg["output"], index=False)
    print(out["gesture"].value_counts().to_string())


if __name__ == "__main__":
    main()
