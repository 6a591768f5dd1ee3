import argparse
import math

import lightning as L
import torch
import torch.nn as nn
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch.utils.data import DataLoader, Dataset, random_split
from torchmetrics import AUROC, F1Score


class Heartbeats(Dataset):
    """Simulated single-lead beats; the abnormal ones have a wide QRS and a missing P wave."""

    def __init__(self, n, length=160, abnormal=0.3, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.y = (torch.rand(n, generator=g) < abnormal).float()
        t = torch.linspace(0, 1, length)

        def bump(center, width, height):
            jitter = 0.015 * torch.randn(n, 1, generator=g)
            return height * torch.exp(-(((t - center - jitter) / width) ** 2))

        bad = self.y[:, None]
        p = bump(0.25, 0.03, 0.2 * (1 - 0.7 * bad))
        qrs = bump(0.45, 0.012 + 0.012 * bad, 1.1 - 0.2 * bad) - bump(0.48, 0.015, 0.25)
        tw = bump(0.7, 0.06, 0.3 + 0.1 * torch.randn(n, 1, generator=g))
        wander = 0.15 * torch.sin(2 * math.pi * (t + torch.rand(n, 1, generator=g)))
        self.x = (p + qrs + tw + wander + 0.08 * torch.randn(n, length, generator=g))[:, None]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class HeartbeatData(L.LightningDataModule):
    def __init__(self, n=1200, batch_size=48):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        full = Heartbeats(self.hparams.n)
        parts = [0.7, 0.15, 0.15]
        self.train_set, self.val_set, self.test_set = random_split(full, parts, torch.Generator().manual_seed(1))

    def train_dataloader(self):
        return DataLoader(self.train_set, self.hparams.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, 2 * self.hparams.batch_size)

    def test_dataloader(self):
        return DataLoader(self.test_set, 2 * self.hparams.batch_size)


class DilatedBlock(nn.Sequential):
    def __init__(self, c_in, c_out, dilation):
        super().__init__(
            nn.Conv1d(c_in, c_out, 5, padding=2 * dilation, dilation=dilation),
            nn.GroupNorm(4, c_out),
            nn.SiLU(),
            nn.AvgPool1d(2),
        )


class BeatClassifier(L.LightningModule):
    def __init__(self, channels=(8, 16, 32), lr=5e-3, pos_weight=1.0):
        super().__init__()
        self.save_hyperparameters()
        sizes = (1, *channels)
        self.net = nn.Sequential(
            *[DilatedBlock(a, b, 2**i) for i, (a, b) in enumerate(zip(sizes, sizes[1:]))],
            nn.AdaptiveMaxPool1d(1),
            nn.Flatten(),
            nn.Linear(sizes[-1], 1),
        )
        self.register_buffer("pos_weight", torch.tensor(float(pos_weight)))
        self.val_auc = AUROC(task="binary")
        self.val_f1 = F1Score(task="binary")
        self.test_auc = AUROC(task="binary")

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def criterion(self, logits, y):
        per_beat = nn.functional.binary_cross_entropy_with_logits(logits, y, reduction="none")
        return (per_beat * (1 + (self.pos_weight - 1) * y)).mean()

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.binary_cross_entropy_with_logits(self.net(x), y, pos_weight=self.pos_weight)
        self.log("train/loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        prob = logits.sigmoid()
        self.val_auc.update(prob, y.int())
        self.val_f1.update(prob, y.int())
        self.log("val/loss", self.criterion(logits, y), prog_bar=True)

    def on_validation_epoch_end(self):
        self.log_dict({"val/auc": self.val_auc.compute(), "val/f1": self.val_f1.compute()}, prog_bar=True)
        self.val_auc.reset()
        self.val_f1.reset()

    def test_step(self, batch, batch_idx):
        x, y = batch
        self.test_auc(self(x).sigmoid(), y.int())
        self.log("test/auc", self.test_auc)

    def configure_optimizers(self):
        opt = torch.optim.RAdam(self.parameters(), lr=self.hparams.lr)
        sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=1)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "monitor": "val/loss"}}


class LossPrinter(Callback):
    def on_validation_end(self, trainer, pl_module):
        if not trainer.sanity_checking:
            m = trainer.callback_metrics
            print(f"epoch {trainer.current_epoch}: " + ", ".join(f"{k} {m[k]:.3f}" for k in sorted(m) if "val" in k))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--pos-weight", type=float, default=2.0)
    ap.add_argument("--fast", action="store_true")
    args = ap.parse_args()

    L.seed_everything(20, verbose=False)
    data = HeartbeatData()
    model = BeatClassifier(pos_weight=args.pos_weight)
    best = ModelCheckpoint(monitor="val/auc", mode="max", filename="beat-{epoch}", auto_insert_metric_name=False)
    trainer = L.Trainer(
        max_epochs=args.epochs,
        accelerator="cpu",
        callbacks=[best, EarlyStopping("val/loss", patience=4), LossPrinter()],
        logger=CSVLogger("logs", name="beats"),
        log_every_n_steps=5,
        gradient_clip_val=1.0,
        fast_dev_run=args.fast,
        enable_progress_bar=False,
    )
    trainer.fit(model, data)
    trainer.test(model, data, ckpt_path=None if args.fast else "best")

    again = BeatClassifier.load_from_checkpoint(best.best_model_path).eval()
    with torch.inference_mode():
        probs = again(Heartbeats(6, seed=99).x).sigmoid()
    print("six new beats:", [round(p, 2) for p in probs.tolist()])


if __name__ == "__main__":
    main()
