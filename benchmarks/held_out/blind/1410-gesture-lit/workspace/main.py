import argparse
import logging
import tempfile
import warnings
from pathlib import Path

import lightning.pytorch as pl
import yaml
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint

from data import loaders
from lit import GestureCNN

warnings.simplefilter("ignore")


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("config", type=Path)
    p.add_argument("--set", nargs="*", default=[], metavar="section.key=value")
    a = p.parse_args()
    cfg = yaml.safe_load(a.config.read_text())
    for item in a.set:
        path, value = item.split("=", 1)
        section, key = path.split(".")
        cfg[section][key] = yaml.safe_load(value)
    return cfg


def main():
    cfg = parse()
    pl.seed_everything(cfg["seed"])
    train, val, test = loaders(cfg["data"], cfg["seed"])
    model = GestureCNN(cfg["data"]["channels"], len(cfg["data"]["gestures"]), **cfg["model"])
    with tempfile.TemporaryDirectory() as tmp:
        ckpt = ModelCheckpoint(dirpath=tmp, save_top_k=1, **cfg["checkpoint"])
        stop = EarlyStopping(**cfg["early_stopping"])
        trainer = pl.Trainer(callbacks=[ckpt, stop], logger=False, accelerator="cpu",
                             enable_progress_bar=False, **cfg["trainer"])
        trainer.fit(model, train, val)
        print(f"best {ckpt.monitor}: {ckpt.best_model_score:.4f}")
        result = trainer.test(model, test, ckpt_path="best", verbose=False)
    print("test:", {k: round(v, 4) for k, v in result[0].items()})


if __name__ == "__main__":
    logging.captureWarnings(True)
    main()
