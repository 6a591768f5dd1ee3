import pytorch_lightning as pl
import torch
import torch.nn as nn
import torch.nn.functional as F


class RentModel(pl.LightningModule):
    def __init__(self, cardinalities, emb_dim, n_numeric, hidden, lr):
        super().__init__()
        self.save_hyperparameters()
        self.embs = nn.ModuleList([nn.Embedding(c, emb_dim) for c in cardinalities])
        self.net = nn.Sequential(
            nn.Linear(n_numeric + emb_dim * len(cardinalities), hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, num, cat):
        e = [emb(cat[:, i]) for i, emb in enumerate(self.embs)]
        x = torch.cat([num] + e, dim=1)
        return self.net(x).squeeze(-1)

    def _step(self, batch, name):
        num, cat, y = batch
        loss = F.mse_loss(self(num, cat), y)
        self.log(f"{name}_loss", loss, prog_bar=True, on_epoch=True, on_step=False)
        return loss

    def training_step(self, batch, batch_idx):
        return self._step(batch, "train")

    def validation_step(self, batch, batch_idx):
        self._step(batch, "val")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1)
        return {
            "optimizer": opt,
            "lr_scheduler": {"scheduler": sched, "monitor": "val_loss"},
        }
