import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from torch import nn


class Forecaster(pl.LightningModule):
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        horizon: int,
        num_layers: int = 1,
        learning_rate: float = 1e-3,
    ):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.LSTM(input_size, hidden_size, num_layers, batch_first=True)
        self.head = nn.Sequential(nn.LayerNorm(hidden_size), nn.Linear(hidden_size, horizon))

    def forward(self, past):
        output, _ = self.rnn(past)
        return self.head(output[:, -1])

    def training_step(self, batch, batch_idx):
        past, future = batch
        loss = F.mse_loss(self(past), future)
        self.log("train/mse", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        past, future = batch
        self.log("val/mse", F.mse_loss(self(past), future), batch_size=len(past))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.hparams.learning_rate)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": scheduler, "monitor": "val/mse"},
        }
