import lightning as L
import torch
from torch import nn
from torch.nn import functional as F


def batch_hard(dist, labels, margin):
    same = labels[:, None] == labels[None, :]
    hardest_pos = dist.masked_fill(~same, 0).amax(1)
    hardest_neg = dist.masked_fill(same, float("inf")).amin(1)
    return F.relu(hardest_pos - hardest_neg + margin).mean()


class CallEmbedder(L.LightningModule):
    def __init__(self, net, optim):
        super().__init__()
        self.save_hyperparameters()
        blocks, c_in = [], 1
        for c in net["channels"]:
            blocks += [nn.Conv2d(c_in, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU(), nn.MaxPool2d(2)]
            c_in = c
        self.trunk = nn.Sequential(*blocks, nn.AdaptiveAvgPool2d((5, 1)), nn.Flatten())
        self.project = nn.Linear(5 * c_in, net["embedding"])
        self.bank = []

    def forward(self, x):
        return F.normalize(self.project(self.trunk(x)), dim=1)

    def training_step(self, batch, _):
        x, y = batch
        z = self(x)
        loss = batch_hard(torch.cdist(z, z), y, self.hparams.net["margin"])
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.bank.append((self(x), y))

    def on_validation_epoch_end(self):
        z, y = (torch.cat(t) for t in zip(*self.bank))
        self.bank.clear()
        d = torch.cdist(z, z).fill_diagonal_(float("inf"))
        recall = (y[d.argmin(1)] == y).float().mean()
        self.log("val/recall_at_1", recall)
        if not self.trainer.sanity_checking:
            loss = self.trainer.callback_metrics.get("train/loss", torch.tensor(float("nan")))
            print(f"epoch {self.current_epoch}: train/loss {loss:.4f} val/recall_at_1 {recall:.3f}", flush=True)

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.optim["lr"])
        return [opt], [torch.optim.lr_scheduler.ExponentialLR(opt, self.hparams.optim["gamma"])]
