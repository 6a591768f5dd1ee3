import lightning as L
import torch
import torch.nn.functional as F
import torchmetrics
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CLASSES = 8


class BlobData(L.LightningDataModule):
    def __init__(self, n=2000, batch_size=64):
        super().__init__()
        self.n, self.batch_size = n, batch_size

    def setup(self, stage=None):
        g = torch.Generator().manual_seed(0)
        centers = torch.randn(CLASSES, 20, generator=g) * 2
        y = torch.randint(0, CLASSES, (self.n,), generator=g)
        x = centers[y] + torch.randn(self.n, 20, generator=g) * 1.5
        cut = int(self.n * 0.8)
        self.train = TensorDataset(x[:cut], y[:cut])
        self.val = TensorDataset(x[cut:], y[cut:])

    def train_dataloader(self):
        return DataLoader(self.train, self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, self.batch_size)


class Classifier(L.LightningModule):
    def __init__(self, hidden=64, lr=1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(20, hidden), nn.BatchNorm1d(hidden), nn.Mish(), nn.Dropout(0.1), nn.Linear(hidden, CLASSES)
        )
        self.val_metrics = {
            "acc": torchmetrics.Accuracy(task="multiclass", num_classes=CLASSES),
            "f1": torchmetrics.F1Score(task="multiclass", num_classes=CLASSES, average="macro"),
            "auroc": torchmetrics.AUROC(task="multiclass", num_classes=CLASSES, thresholds=50),
        }

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.log("val_loss", F.cross_entropy(logits, y))
        for metric in self.val_metrics.values():
            metric.update(logits.softmax(-1), y)

    def on_validation_epoch_end(self):
        for name, metric in self.val_metrics.items():
            self.log(f"val_{name}", metric.compute())
            metric.reset()

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=self.trainer.max_epochs)
        return {"optimizer": opt, "lr_scheduler": sched}


def main():
    L.seed_everything(1)
    trainer = L.Trainer(
        max_epochs=3, accelerator="gpu", devices=1, logger=False,
        enable_checkpointing=False, enable_progress_bar=False, num_sanity_val_steps=0,
    )
    trainer.fit(Classifier(), datamodule=BlobData())
    print({k: round(v.item(), 4) for k, v in trainer.callback_metrics.items()})


if __name__ == "__main__":
    main()
