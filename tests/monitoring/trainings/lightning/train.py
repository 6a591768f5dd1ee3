import lightning as L
import torch
import torch.nn.functional as F
from sklearn.datasets import load_wine
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class WineData(L.LightningDataModule):
    def __init__(self, batch_size: int = 16):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage: str) -> None:
        features, labels = load_wine(return_X_y=True)
        features = (features - features.mean(axis=0)) / features.std(axis=0)
        dataset = TensorDataset(torch.tensor(features, dtype=torch.float32), torch.tensor(labels))
        self.train_set, self.val_set = random_split(
            dataset, [138, 40], generator=torch.Generator().manual_seed(1)
        )

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=40)


class WineClassifier(L.LightningModule):
    def __init__(self, hidden: int = 32, dropout: float = 0.1, lr: float = 1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(13, hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
        )
        self.classifier = nn.Linear(hidden, 3)

    def forward(self, x):
        features = self.net(x)
        return F.softmax(self.classifier(features), dim=1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_epoch=True, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        probabilities = self(x)
        self.log("val_loss", F.cross_entropy(probabilities, y), prog_bar=True)
        self.log("val_acc", (probabilities.argmax(dim=1) == y).float().mean(), prog_bar=True)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-2)
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
        return {"optimizer": optimizer, "lr_scheduler": scheduler}


if __name__ == "__main__":
    L.seed_everything(1)
    trainer = L.Trainer(
        max_epochs=10,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        log_every_n_steps=5,
    )
    trainer.fit(WineClassifier(), datamodule=WineData())
    print({name: round(float(value), 3) for name, value in trainer.callback_metrics.items()})
