import lightning as L
import torch
import torchmetrics
from torch import nn

from gridcast.models.factory import create_model


class ForecastModule(L.LightningModule):
    def __init__(self, model_name, model_args, n_features, horizon, lr, quantile=None):
        super().__init__()
        self.save_hyperparameters()
        self.net = create_model(model_name, n_features, horizon, **model_args)
        self.loss_fn = nn.HuberLoss(delta=1.0)
        self.val_mae = torchmetrics.MeanAbsoluteError()
        self.val_r2 = torchmetrics.R2Score()

    def forward(self, past):
        return self.net(past)

    def training_step(self, batch, batch_idx):
        past, future = batch
        loss = self.loss_fn(self(past), future)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        past, future = batch
        pred = self(past)
        self.val_mae.update(pred, future)
        self.val_r2.update(pred.flatten(), future.flatten())

    def on_validation_epoch_end(self):
        self.log("val_mae", self.val_mae.compute())
        self.log("val_r2", self.val_r2.compute())
        self.val_mae.reset()
        self.val_r2.reset()

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=1)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "monitor": "val_mae"}}
