# metric: balanced accuracy ([\d.]+) higher
import numpy as np
import pytorch_lightning as pl
import torch
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Customers(pl.LightningDataModule):
    def __init__(self, batch_size: int = 40):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        X, y = make_classification(
            1500, 20, n_informative=8, class_sep=1.5, random_state=17
        )
        X = X * np.linspace(1, 400, 20) + 30
        scaler = StandardScaler()
        x_train, x_valid, y_train, y_valid = train_test_split(X, y, random_state=17)
        x_train = scaler.fit_transform(x_train)
        x_valid = scaler.transform(x_valid)
        self.train_data = self.tensors(x_train, y_train)
        self.valid_data = self.tensors(x_valid, y_valid)

    @staticmethod
    def tensors(x, y):
        return TensorDataset(torch.tensor(x).float(), torch.tensor(y).float().unsqueeze(1))

    def train_dataloader(self):
        return DataLoader(self.train_data, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.valid_data, batch_size=128)


class Churn(pl.LightningModule):
    def __init__(self, widths=(48, 24), lr=1e-2):
        super().__init__()
        parts = []
        before = 20
        for width in widths:
            parts += [nn.Linear(before, width), nn.ReLU(), nn.Dropout(0.1)]
            before = width
        self.body = nn.Sequential(*parts)
        self.head = nn.Linear(before, 1)
        self.lr = lr
        self.criterion = nn.BCEWithLogitsLoss()
        self.said, self.true = [], []

    def forward(self, x):
        return self.head(self.body(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.criterion(self(x), y)
        self.log("loss/train", loss)
        return loss

    def on_validation_epoch_start(self):
        self.said, self.true = [], []

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.said += (self(x) > 0).flatten().tolist()
        self.true += y.flatten().tolist()

    def on_validation_epoch_end(self):
        print(f"balanced accuracy {balanced_accuracy_score(self.true, self.said):.4f}")

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.lr)
        return optimizer


pl.seed_everything(17)
trainer = pl.Trainer(
    max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False,
    enable_progress_bar=False, enable_model_summary=False, gradient_clip_val=1.0,
)
trainer.fit(Churn(), Customers())
