import lightning as L
import torch
from torch import nn
from torchmetrics.classification import MultilabelF1Score


class Tagger(L.LightningModule):
    def __init__(self, dim, tags, hidden, lr):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(dim, hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, tags)
        )
        self.loss = nn.BCEWithLogitsLoss()
        self.f1 = MultilabelF1Score(num_labels=tags, average="macro")

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, _):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train/loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        logits = self(x)
        self.f1(logits.sigmoid(), y.int())
        self.log("val/loss", self.loss(logits, y))
        self.log("val/f1", self.f1, on_epoch=True)

    def on_validation_epoch_end(self):
        if not self.trainer.sanity_checking:
            m = self.trainer.callback_metrics
            print(f"epoch {self.current_epoch}: val loss {m['val/loss']:.3f}")

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
