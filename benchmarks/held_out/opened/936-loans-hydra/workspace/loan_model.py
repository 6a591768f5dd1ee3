import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torchmetrics.classification import BinaryAUROC


class LoanNet(nn.Module):
    def __init__(self, input_dim, hidden, dropout):
        super().__init__()
        layers, d = [], input_dim
        for h in hidden:
            layers += [nn.Linear(d, h), nn.GELU(), nn.Dropout(dropout)]
            d = h
        layers += [nn.Linear(d, 1)]
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x).squeeze(-1)


class LoanModule(L.LightningModule):
    def __init__(self, net, lr, weight_decay):
        super().__init__()
        self.net = net
        self.lr, self.weight_decay = lr, weight_decay
        self.auroc = BinaryAUROC()

    def training_step(self, batch, _):
        x, y = batch
        loss = F.binary_cross_entropy_with_logits(self.net(x), y)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        logits = self.net(x)
        self.auroc.update(logits.sigmoid(), y.int())
        self.log("val/loss", F.binary_cross_entropy_with_logits(logits, y))

    def on_validation_epoch_end(self):
        auc = self.auroc.compute()
        self.auroc.reset()
        self.log("val/auroc", auc)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.lr, weight_decay=self.weight_decay)
