# metric: test accuracy: ([\d.]+) higher
import lightning.pytorch as pl
import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

pl.seed_everything(8)
X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=8, stratify=y)

train_set = TensorDataset(
    torch.tensor(X_train, dtype=torch.float32), torch.tensor(y_train)
)
test_set = TensorDataset(torch.tensor(X_test, dtype=torch.float32), torch.tensor(y_test))
train_loader = DataLoader(train_set, batch_size=16, shuffle=True)
test_loader = DataLoader(test_set, batch_size=54)


class WineNet(pl.LightningModule):
    def __init__(self, lr: float = 0.02):
        super().__init__()
        self.lr = lr
        self.layers = nn.Sequential(
            nn.Linear(13, 32),
            nn.ReLU(),
            nn.Linear(32, 16),
            nn.ReLU(),
        )
        self.classifier = nn.Linear(16, 3)

    def forward(self, x):
        return self.classifier(self.layers(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("loss", loss)
        return loss

    def test_step(self, batch, batch_idx):
        x, y = batch
        accuracy = (self(x).argmax(dim=1) == y).float().mean()
        print(f"test accuracy: {accuracy.item():.4f}")

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.lr, momentum=0.9)
        return optimizer


net = WineNet()
trainer = pl.Trainer(
    max_epochs=15, accelerator="cpu", logger=False, enable_checkpointing=False,
    enable_progress_bar=False, enable_model_summary=False, log_every_n_steps=1,
)
trainer.fit(net, train_loader)
trainer.test(net, test_loader, verbose=False)
