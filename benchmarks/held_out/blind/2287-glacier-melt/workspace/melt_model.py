import lightning as L
import torch
from torch import nn


def nse(pred, obs):
    """Nash-Sutcliffe efficiency."""
    return 1 - ((pred - obs) ** 2).sum() / ((obs - obs.mean()) ** 2).sum()


class MeltModule(L.LightningModule):
    """Base with loss, logging and optimizer; subclasses give `forward`."""

    def __init__(self, lr=3e-3, weight_decay=0.0):
        super().__init__()
        self.save_hyperparameters("lr")
        self.loss = nn.MSELoss()
        self.outputs = []

    def training_step(self, batch, _):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.outputs.append((self(x), y))

    def on_validation_epoch_end(self):
        pred, obs = (torch.cat(t) for t in zip(*self.outputs))
        self.log("val_nse", nse(pred, obs))
        self.outputs.clear()

    def configure_optimizers(self):
        return torch.optim.AdamW(
            self.parameters(), lr=self.hparams.lr, weight_decay=self.hparams.weight_decay)


class MeltLSTM(MeltModule):
    def __init__(self, n_inputs=3, hidden=24, **kwargs):
        super().__init__(**kwargs)
        self.lstm = nn.LSTM(n_inputs, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, 1), nn.Softplus())

    def forward(self, x):
        _, (h, _) = self.lstm(x)
        return self.head(h[-1]).squeeze(-1)


class MeltConv(MeltModule):
    def __init__(self, n_inputs=3, width=16, **kwargs):
        super().__init__(**kwargs)
        self.body = nn.Sequential(
            nn.Conv1d(n_inputs, width, 5), nn.ReLU(), nn.Conv1d(width, width, 5, dilation=3), nn.ReLU())
        self.head = nn.Sequential(nn.Linear(width, 1), nn.Softplus())

    def forward(self, x):
        return self.head(self.body(x.transpose(1, 2)).mean(-1)).squeeze(-1)
