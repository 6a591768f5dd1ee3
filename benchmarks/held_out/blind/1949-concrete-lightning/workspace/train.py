#!/usr/bin/env python
"""Predict compressive strength of concrete mixes."""
import argparse
import logging
import warnings

import lightning as L

from concrete.callbacks import default_callbacks
from concrete.datamodule import FEATURES, ConcreteDataModule
from concrete.module import StrengthRegressor

warnings.filterwarnings("ignore", ".*does not have many workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)


def parse_args():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--max-epochs", type=int, default=60)
    p.add_argument("--hidden", type=int, default=64)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--patience", type=int, default=8)
    p.add_argument("--ckpt-dir", default="checkpoints")
    return p.parse_args()


def main():
    args = parse_args()
    L.seed_everything(17)
    dm = ConcreteDataModule()
    model = StrengthRegressor(len(FEATURES), hidden=args.hidden, lr=args.lr)
    trainer = L.Trainer(
        max_epochs=args.max_epochs,
        accelerator="cpu",
        callbacks=default_callbacks(args.ckpt_dir, args.patience),
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
    )
    trainer.fit(model, datamodule=dm)
    best = trainer.checkpoint_callback.best_model_path
    print("best checkpoint:", best)
    trainer.test(StrengthRegressor.load_from_checkpoint(best), datamodule=dm)


if __name__ == "__main__":
    main()
