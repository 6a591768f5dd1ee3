# metric: final accuracy ([\d.]+) higher
import lightning as L
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class DigitsData(L.LightningDataModule):
    def __init__(self, batch_size=32):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        x, y = load_digits(return_X_y=True)
        x = torch.tensor(x / 16.0, dtype=torch.float32)
        self.train_set, self.val_set = random_split(TensorDataset(x, torch.tensor(y)), [1500, 297])

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=64)


class Classifier(L.LightningModule):
    def __init__(self, hidden=96, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = nn.Sequential(nn.Linear(64, hidden), nn.ReLU(), nn.Dropout(0.1))
        self.classifier = nn.Linear(hidden, 10)
        self.right = 0
        self.seen = 0

    def forward(self, x):
        return self.classifier(self.encoder(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        return loss

    def on_validation_epoch_start(self):
        self.right = self.seen = 0

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.right += (logits.argmax(1) == y).sum().item()
        self.seen += len(y)
        self.log("val_loss", F.cross_entropy(logits, y))

    def on_validation_epoch_end(self):
        print(f"epoch {self.current_epoch} val_acc {self.right / self.seen:.4f}")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


if __name__ == "__main__":
    L.seed_everything(3)
    model = Classifier()
    trainer = L.Trainer(
        max_epochs=5, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
    )
    trainer.fit(model, DigitsData())
    print(f"final accuracy {model.right / model.seen:.4f}")
