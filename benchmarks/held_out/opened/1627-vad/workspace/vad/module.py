import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torchmetrics.classification import BinaryF1Score


class VoiceActivityDetector(L.LightningModule):
    def __init__(self, bands=16, hidden=32, lr=2e-3, patience=1, factor=0.5):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.GRU(bands, hidden, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * hidden, 1)
        self.val_f1 = BinaryF1Score()

    def forward(self, feats):
        out, _ = self.rnn(feats)
        return self.head(out).squeeze(-1)

    def training_step(self, batch, batch_idx):
        feats, labels = batch
        loss = F.binary_cross_entropy_with_logits(self(feats), labels)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        feats, labels = batch
        logits = self(feats)
        loss = F.binary_cross_entropy_with_logits(logits, labels)
        self.val_f1(logits, labels.int())
        self.log("val_loss", loss, prog_bar=True)
        self.log("val_f1", self.val_f1, prog_bar=True)

    def configure_optimizers(self):
        hp = self.hparams
        optimizer = torch.optim.Adam(self.parameters(), lr=hp.lr)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer, factor=hp.factor, patience=hp.patience)
        return {
            "optimizer": optimizer,
            "lr_scheduler": {
                "scheduler": scheduler,
                "monitor": "val_loss",
                "interval": "step",
            },
        }
