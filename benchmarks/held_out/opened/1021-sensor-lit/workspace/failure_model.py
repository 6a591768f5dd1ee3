import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torchmetrics.classification import BinaryAUROC


class FailureModel(L.LightningModule):
    def __init__(self, in_channels, width, kernel_size, lr):
        super().__init__()
        self.save_hyperparameters()
        pad = kernel_size // 2
        self.net = nn.Sequential(
            nn.Conv1d(in_channels, width, kernel_size, padding=pad),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Conv1d(width, width, kernel_size, padding=2 * pad, dilation=2),
            nn.ReLU(),
            nn.AdaptiveMaxPool1d(1),
            nn.Flatten(),
            nn.Linear(width, 1),
        )
        self.auroc = BinaryAUROC()

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.binary_cross_entropy_with_logits(self(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.auroc.update(logits, y.int())
        self.log("val_loss", F.binary_cross_entropy_with_logits(logits, y))
        self.log("val_auroc", self.auroc)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
