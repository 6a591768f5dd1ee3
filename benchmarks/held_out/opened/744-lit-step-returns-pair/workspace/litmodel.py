import lightning as L
import torch
import torch.nn.functional as F
from torch import nn


class Encoder(nn.Module):
    def __init__(self, side, hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(8 * (side // 2) ** 2, hidden), nn.ReLU(),
        )

    def forward(self, x):
        return self.net(x)


class LitDigits(L.LightningModule):
    def __init__(self, conf):
        super().__init__()
        self.conf = conf
        self.encoder = Encoder(conf.side, conf.hidden)
        self.classifier = nn.Linear(conf.hidden, conf.n_classes)

    def forward(self, x):
        return self.classifier(self.encoder(x))

    def step(self, batch, name):
        x, y = batch
        logits = self(x)
        loss = F.cross_entropy(logits, y)
        acc = (logits.argmax(-1) == y).float().mean()
        self.log(f"{name}_loss", loss, on_epoch=True, on_step=False)
        self.log(f"{name}_acc", acc, on_epoch=True, on_step=False)
        return loss, acc

    def training_step(self, batch, batch_idx):
        x, y = batch
        x = x + self.conf.noise * torch.randn_like(x)
        return self.step((x, y), "train")

    def validation_step(self, batch, batch_idx):
        self.step(batch, "val")

    def test_step(self, batch, batch_idx):
        self.step(batch, "test")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.conf.lr)
        sched = torch.optim.lr_scheduler.StepLR(opt, step_size=2, gamma=0.5)
        return {"optimizer": opt, "lr_scheduler": sched}
