import lightning as L
import torch
from torch import nn
from torchmetrics.classification import MultilabelAUROC


def stage(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.SiLU(),
    )


class FindingClassifier(L.LightningModule):
    def __init__(self, findings, widths, lr=1e-3, pos_weight=1.0):
        super().__init__()
        self.findings = list(findings)
        self.lr = lr
        channels = [1, *widths]
        self.backbone = nn.Sequential(*(stage(a, b) for a, b in zip(channels, channels[1:])))
        self.head = nn.Linear(channels[-1], len(self.findings))
        self.loss = nn.BCEWithLogitsLoss(
            pos_weight=torch.full((len(self.findings),), float(pos_weight))
        )
        self.val_auc = MultilabelAUROC(len(self.findings))
        self.test_auc = MultilabelAUROC(len(self.findings), average=None)

    def forward(self, x):
        return self.head(self.backbone(x).mean(dim=(2, 3)))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train/loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.val_auc.update(logits, y.int())
        self.log("val/loss", self.loss(logits, y))
        self.log("val/auc", self.val_auc)

    def test_step(self, batch, batch_idx):
        x, y = batch
        self.test_auc.update(self(x), y.int())

    def on_test_epoch_end(self):
        for name, value in zip(self.findings, self.test_auc.compute()):
            self.log(f"test/auc_{name}", value)
        self.test_auc.reset()

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.lr)
        sched = torch.optim.lr_scheduler.OneCycleLR(
            opt, max_lr=10 * self.lr, total_steps=self.trainer.estimated_stepping_batches
        )
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}
