import lightning.pytorch as pl
import torch
import torch.nn as nn
import torch.nn.functional as F
from torchmetrics.classification import MulticlassAccuracy


class GestureCNN(pl.LightningModule):
    def __init__(self, channels, n_classes, widths, kernel, lr):
        super().__init__()
        self.save_hyperparameters()
        layers, c = [], channels
        for w in widths:
            layers += [nn.Conv1d(c, w, kernel, padding="same"), nn.BatchNorm1d(w), nn.ReLU(), nn.MaxPool1d(2)]
            c = w
        self.features = nn.Sequential(*layers)
        self.head = nn.Linear(c, n_classes)
        self.acc = MulticlassAccuracy(n_classes, average="micro")

    def forward(self, x):
        return self.head(self.features(x).mean(-1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.acc(logits, y)
        self.log("val_loss", F.cross_entropy(logits, y))
        self.log("val_acc", self.acc, on_epoch=True)

    def test_step(self, batch, batch_idx):
        x, y = batch
        self.acc(self(x), y)
        self.log("test_acc", self.acc)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
