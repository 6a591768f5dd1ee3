# metric: val accuracy ([\d.]+) higher
import lightning as L
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class SmallCNN(L.LightningModule):
    def __init__(self, channels=12, lr=0.003):
        super().__init__()
        self.save_hyperparameters()
        self.features = nn.Sequential(
            nn.Conv2d(1, channels, 3, padding=1),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(channels, 2 * channels, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.drop = nn.Dropout(0.25)
        self.fc = nn.Linear(2 * channels * 4, 10)
        self.loss_fn = nn.CrossEntropyLoss()
        self.correct, self.total = 0, 1

    def forward(self, x):
        h = self.features(x)
        h = self.drop(h.flatten(1))
        return self.fc(h)

    def training_step(self, batch, _):
        images, targets = batch
        loss = self.loss_fn(self.forward(images), targets)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def on_validation_epoch_start(self):
        self.correct, self.total = 0, 0

    def validation_step(self, batch, _):
        images, targets = batch
        self.correct += (self(images).argmax(1) == targets).sum().item()
        self.total += len(targets)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        return {
            "optimizer": optimizer,
            "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6),
        }


if __name__ == "__main__":
    L.seed_everything(14)
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16.0
    labels = torch.tensor(digits.target)
    train_part, val_part = random_split(TensorDataset(images, labels), [1400, 397])
    model = SmallCNN()
    trainer = L.Trainer(
        max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
    )
    trainer.fit(
        model,
        DataLoader(train_part, batch_size=64, shuffle=True),
        DataLoader(val_part, batch_size=128),
    )
    print(f"val accuracy {model.correct / model.total:.4f}")
