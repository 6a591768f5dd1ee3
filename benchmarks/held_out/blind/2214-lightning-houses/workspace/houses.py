import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split
from torchmetrics.regression import MeanAbsoluteError, R2Score

L.seed_everything(3)


class HouseData(L.LightningDataModule):
    def __init__(self, n=800, batch_size=64):
        super().__init__()
        self.n = n
        self.batch_size = batch_size

    def setup(self, stage=None):
        g = torch.Generator().manual_seed(0)
        x = torch.randn(self.n, 8, generator=g)
        w = torch.randn(8, generator=g)
        y = x @ w + 0.3 * torch.randn(self.n, generator=g)
        full = TensorDataset(x, y)
        self.train_set, self.val_set = random_split(full, [self.n - 160, 160], generator=g)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.batch_size)


class Regressor(L.LightningModule):
    def __init__(self, n_in=8, hidden=32, lr=1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(n_in, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.loss = nn.MSELoss()
        self.val_mae = MeanAbsoluteError()
        self.val_r2 = R2Score()

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        pred = self(x)
        self.val_mae(pred, y)
        self.val_r2(pred, y)
        self.log("val_loss", self.loss(pred, y), prog_bar=True)
        self.log("val_mae", self.val_mae)
        self.log("val_r2", self.val_r2)

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=2)
        return {"optimizer": opt, "lr_scheduler": sched}


def main():
    dm = HouseData()
    model = Regressor()
    early = L.pytorch.callbacks.EarlyStopping(monitor="val_loss", patience=4)
    trainer = L.Trainer(
        max_epochs=6,
        accelerator="cpu",
        callbacks=[early],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        log_every_n_steps=5,
    )
    trainer.fit(model, datamodule=dm)
    print({k: round(float(v), 4) for k, v in trainer.callback_metrics.items()})


if __name__ == "__main__":
    main()
