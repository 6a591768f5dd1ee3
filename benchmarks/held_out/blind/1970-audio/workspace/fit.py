import argparse
import logging
import warnings

import lightning as L
import yaml
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint

from kws import LitKeyword, ToneDataModule

warnings.filterwarnings("ignore", ".*does not have many workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)


def get_callbacks(c):
    return [
        ModelCheckpoint(dirpath="ckpt", monitor=c["monitor"], mode=c["mode"], filename="best", save_top_k=1),
        EarlyStopping(monitor=c["monitor"], mode=c["mode"], patience=c["stop_patience"]),
    ]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("-c", "--conf", default="conf/experiment.yaml")
    args = p.parse_args()
    with open(args.conf) as f:
        cfg = yaml.safe_load(f)
    L.seed_everything(cfg["seed"], verbose=False)

    trainer = L.Trainer(
        max_epochs=cfg["trainer"]["epochs"],
        gradient_clip_val=cfg["trainer"]["grad_clip"],
        callbacks=get_callbacks(cfg["callbacks"]),
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(LitKeyword(cfg), ToneDataModule(cfg))
    best = trainer.checkpoint_callback
    print(f"best {best.monitor}: {float(best.best_model_score):.3f}")


if __name__ == "__main__":
    main()
