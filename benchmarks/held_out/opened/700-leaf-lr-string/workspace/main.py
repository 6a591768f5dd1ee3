import argparse

import torch
import yaml

from leafcls.data import build_loaders
from leafcls.engine import Trainer
from leafcls.registry import MODELS, OPTIMIZERS
import leafcls.models  # noqa: F401  (registers the models)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    args = parser.parse_args()
    with open(args.config) as fh:
        cfg = yaml.safe_load(fh)
    torch.manual_seed(cfg["seed"])
    print("experiment:", cfg["experiment"])

    loaders = build_loaders(cfg["data"], cfg["seed"])
    mcfg = dict(cfg["model"])
    model = MODELS.build(mcfg.pop("name"), image_size=cfg["data"]["image_size"], **mcfg)
    ocfg = dict(cfg["optim"])
    optimizer = OPTIMIZERS.build(ocfg.pop("name"), params=model.parameters(), **ocfg)
    trainer = Trainer(model, optimizer, loaders, cfg["trainer"])
    best = trainer.fit()
    print(f"best val_acc {best:.3f}")


if __name__ == "__main__":
    main()
