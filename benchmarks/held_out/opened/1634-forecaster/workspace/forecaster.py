import lightning as L
import torch
from torch import nn


class Forecaster(L.LightningModule):
    def __init__(self, history, horizon, hidden, max_lr, total_steps):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(history, hidden),
            nn.GELU(),
            nn.LayerNorm(hidden),
            nn.Linear(hidden, hidden),
            nn.GELU(),
            nn.Linear(hidden, horizon),
        )
        self.loss = nn.HuberLoss()

    def forward(self, x):
        last = x[:, -1:]
        return self.net(x - last) + last

    def training_step(self, batch, _):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        pred = self(x)
        self.log("val_mae", (pred - y).abs().mean())

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.max_lr, weight_decay=1e-3)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer,
            max_lr=self.hparams.max_lr,
            total_steps=self.hparams.total_steps,
            pct_start=0.2,
        )
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": schedule, "interval": "step"},
        }
