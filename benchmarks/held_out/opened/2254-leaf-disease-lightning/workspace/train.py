import argparse

import lightning as L
import yaml

from leafnet.data import LeafData
from leafnet.model import LeafNet


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--config", default="configs/base.yaml")
    args = p.parse_args()
    with open(args.config) as fh:
        cfg = yaml.safe_load(fh)

    L.seed_everything(cfg["seed"])
    data = LeafData(**cfg["data"], seed=cfg["seed"])
    model = LeafNet(**cfg["model"])
    trainer = L.Trainer(
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_model_summary=False,
        num_sanity_val_steps=1,
        **cfg["trainer"],
    )
    trainer.fit(model, data)
    print({k: round(float(v), 3) for k, v in trainer.callback_metrics.items()})


if __name__ == "__main__":
    main()
