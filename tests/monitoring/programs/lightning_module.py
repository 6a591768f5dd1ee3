"""A module trained by Lightning's Trainer."""

import logging

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
lightning.seed_everything(3)


class Regression(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, number):
        x, y = batch
        loss = nn.functional.mse_loss(self(x).squeeze(1), y)
        self.log("train_loss", loss, on_epoch=True)
        return loss

    def validation_step(self, batch, number):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self(x).squeeze(1), y))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


x = torch.randn(256, 8)
data = TensorDataset(x, x.sum(1))
model = Regression()
trainer = lightning.Trainer(
    max_epochs=2,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(model, DataLoader(data, batch_size=32, shuffle=True), DataLoader(data, batch_size=64))
print(repr(float(sum(p.detach().double().abs().sum() for p in model.parameters()))))
