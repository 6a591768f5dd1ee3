import lightning as L
import torch
from torch import nn


def mlp(dims):
    layers = []
    for a, b in zip(dims, dims[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class PumpAutoencoder(L.LightningModule):
    def __init__(self, n_in, widths, lr, plateau):
        super().__init__()
        self.save_hyperparameters()
        dims = [n_in, *widths]
        self.enc = mlp(dims)
        self.dec = mlp(dims[::-1])

    def forward(self, x):
        return self.dec(torch.relu(self.enc(x)))

    def score(self, x):
        return (self(x) - x).pow(2).mean(1)

    def training_step(self, batch, _):
        loss = self.score(batch[0]).mean()
        self.log("train/mse", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        self.log("val/mse", self.score(batch[0]).mean(), prog_bar=True)

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        lr = self.trainer.optimizers[0].param_groups[0]["lr"]
        print(f"epoch {self.current_epoch}  val mse {m['val/mse']:.4f}  lr {lr:.1e}")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, **self.hparams.plateau)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "monitor": "val/mse"}}
