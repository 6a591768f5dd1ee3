# metric: held-out accuracy ([\d.]+) higher
import random

import pytorch_lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

ALPHABET = "abcdefghij"
ENDINGS = {0: "ing", 1: "ade", 2: "chi", 3: "fig"}


class Words(Dataset):
    """Words of nine letters; the class is which syllable they contain."""

    def __init__(self, count, seed):
        draw = random.Random(seed)
        rows, labels = [], []
        for _ in range(count):
            label = draw.randrange(len(ENDINGS))
            letters = [draw.choice("abdeh") for _ in range(9)]
            at = draw.randrange(6)
            letters[at : at + 3] = [c if c in ALPHABET else "j" for c in ENDINGS[label]]
            rows.append([ALPHABET.index(c) for c in letters])
            labels.append(label)
        self.rows = torch.tensor(rows)
        self.labels = torch.tensor(labels)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.rows[i], self.labels[i]


class LetterTagger(pl.LightningModule):
    def __init__(self, width=24, hidden=48, learning_rate=5e-3):
        super().__init__()
        self.save_hyperparameters()
        self.embed = nn.Embedding(len(ALPHABET), width)
        self.conv = nn.Conv1d(width, hidden, 3)
        self.norm = nn.BatchNorm1d(hidden)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(hidden, len(ENDINGS))
        self.criterion = nn.CrossEntropyLoss()
        self.hits = []

    def forward(self, letters):
        x = self.embed(letters).transpose(1, 2)
        x = torch.relu(self.norm(self.conv(x)))
        x = self.drop(x.amax(dim=2))
        return self.out(x)

    def training_step(self, batch, batch_idx):
        letters, labels = batch
        loss = self.criterion(self(letters), labels)
        self.log("train/loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        letters, labels = batch
        self.hits.append((self(letters).argmax(1) == labels).float().mean().item())

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.hparams.learning_rate)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.5)
        return [optimizer], [scheduler]


def main():
    pl.seed_everything(21)
    train = DataLoader(Words(1600, 1), batch_size=64, shuffle=True)
    held_out = DataLoader(Words(400, 2), batch_size=200)
    model = LetterTagger()
    trainer = pl.Trainer(
        max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
    )
    trainer.fit(model, train, held_out)
    print(f"held-out accuracy {sum(model.hits[-2:]) / 2:.4f}")


if __name__ == "__main__":
    main()
