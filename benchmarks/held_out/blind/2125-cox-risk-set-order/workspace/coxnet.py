import lightning as L
import torch
from torch import nn


def cox_loss(risk, time, event):
    """Negative log partial likelihood (Breslow), times sorted from long to short."""
    order = torch.argsort(time)
    risk, event = risk[order], event[order]
    log_cum = torch.logcumsumexp(risk, dim=0)
    return -((risk - log_cum) * event).sum() / event.sum().clamp(min=1)


def concordance(risk, time, event):
    first = (time[:, None] < time[None, :]) & (event[:, None] == 1)
    better = risk[:, None] > risk[None, :]
    return (first & better).sum() / first.sum().clamp(min=1)


class CoxNet(L.LightningModule):
    def __init__(self, n_covariates, exp):
        super().__init__()
        self.exp = exp
        layers, width = [], n_covariates
        for h in exp.hidden_dims:
            layers += [nn.Linear(width, h), nn.SELU(), nn.AlphaDropout(exp.dropout)]
            width = h
        self.net = nn.Sequential(*layers, nn.Linear(width, 1, bias=False))
        self.val_out = []

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, _):
        x, time, event = batch
        loss = cox_loss(self(x), time, event)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, time, event = batch
        self.val_out.append((self(x), time, event))

    def on_validation_epoch_end(self):
        risk, time, event = (torch.cat(c) for c in zip(*self.val_out))
        self.log("val_loss", cox_loss(risk, time, event))
        self.log("val_cindex", concordance(risk, time, event))
        self.val_out.clear()

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.exp.learning_rate)
        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=1)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": plateau, "monitor": "val_loss"}}
