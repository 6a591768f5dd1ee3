# metric: test loss ([\d.]+|nan) lower
import pytorch_lightning as pl
import torch
from sklearn.datasets import make_regression
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

pl.seed_everything(25)
X, y = make_regression(n_samples=1600, n_features=16, noise=5, random_state=25)
X = torch.tensor(X, dtype=torch.float32)
y = torch.tensor(y, dtype=torch.float32)
y = (y - y.mean()) / y.std()


class LitRegressor(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(16, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
        self.loss = nn.MSELoss()
        self.last = 0.0

    def forward(self, x):
        return self.model(x).squeeze(-1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.last = self.loss(self(x), y).item()
        self.log("val/loss", self.last)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=5e-3)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=5e-3, total_steps=int(self.trainer.estimated_stepping_batches)
        )
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


train_loader = DataLoader(TensorDataset(X[:1300], y[:1300]), batch_size=32, shuffle=True)
val_loader = DataLoader(TensorDataset(X[1300:], y[1300:]), batch_size=300)
model = LitRegressor()
trainer = pl.Trainer(
    max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
    enable_model_summary=False, gradient_clip_val=1.0,
)
trainer.fit(model, train_loader, val_loader)
print(f"test loss {model.last:.4f}")
