import lightning as L
import torch
import torch.nn as nn


class GRUForecaster(L.LightningModule):
    def __init__(self, n_features=4, hidden=24, horizon=12, lr=5e-3):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.GRU(n_features, hidden, batch_first=True)
        self.head = nn.Linear(hidden, horizon)

    def forward(self, past):
        _, h = self.rnn(past)
        return self.head(h[-1])

    def _step(self, batch, name):
        past, future = batch
        pred = self(past)
        loss = nn.functional.smooth_l1_loss(pred, future)
        self.log(f"{name}_loss", loss, prog_bar=True, on_epoch=True, on_step=False)
        return loss

    def training_step(self, batch, batch_idx):
        return self._step(batch, "train")

    def validation_step(self, batch, batch_idx):
        return self._step(batch, "val")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
