import lightning as L
import torch
from torch import nn
from torch.nn import functional as F
from torchmetrics import MeanAbsoluteError


class BikeRegressor(L.LightningModule):
    def __init__(self, num_features, hidden_dim=32, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(num_features, hidden_dim),
            nn.ReLU(),
            nn.Linear(hidden_dim, hidden_dim),
            nn.ReLU(),
            nn.Linear(hidden_dim, 1),
        )
        self.mae = MeanAbsoluteError()

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.mse_loss(self(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        pred = self(x)
        self.mae(pred, y)
        self.log("val_loss", F.mse_loss(pred, y), on_epoch=True)
        self.log("val_mae", self.mae, on_epoch=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
