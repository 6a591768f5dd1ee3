import argparse
import warnings

import lightning as L
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor
from lightning.pytorch.loggers import CSVLogger

from vad.data import VoiceActivityData
from vad.module import VoiceActivityDetector

warnings.filterwarnings("ignore", message=".*does not have many workers.*")


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--seed", type=int, default=4)
    return parser.parse_args()


def main():
    args = parse_args()
    L.seed_everything(args.seed)
    data = VoiceActivityData(seed=args.seed)
    model = VoiceActivityDetector(hidden=args.hidden, lr=args.lr)
    trainer = L.Trainer(
        max_epochs=args.epochs,
        accelerator="cpu",
        logger=CSVLogger("logs", name="vad"),
        callbacks=[
            EarlyStopping("val_loss", patience=3),
            LearningRateMonitor(),
        ],
        log_every_n_steps=4,
        num_sanity_val_steps=0,
        enable_checkpointing=False,
        enable_progress_bar=False,
    )
    trainer.fit(model, data)
    metrics = {k: round(v.item(), 3) for k, v in trainer.callback_metrics.items()}
    print("final", metrics)


if __name__ == "__main__":
    main()
