import argparse

import lightning as L

from src.callbacks import build_callbacks
from src.datamodule import GaitDataModule
from src.module import ActivityClassifier


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--max-epochs", type=int, default=6)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--width", type=int, default=16)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--patience", type=int, default=3)
    args = ap.parse_args()

    L.seed_everything(42)
    dm = GaitDataModule(batch_size=args.batch_size)
    model = ActivityClassifier(width=args.width, lr=args.lr)
    trainer = L.Trainer(
        max_epochs=args.max_epochs,
        accelerator="cpu",
        devices=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        num_sanity_val_steps=0,
        callbacks=build_callbacks(args.patience),
    )
    trainer.fit(model, datamodule=dm)
    print(f"final val_acc {float(trainer.callback_metrics['val_acc']):.3f}")


if __name__ == "__main__":
    main()
