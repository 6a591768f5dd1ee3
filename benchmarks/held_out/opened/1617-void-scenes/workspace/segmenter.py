import lightning as L
import torch
from torch import nn
from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassJaccardIndex

from scenes import CLASS_NAMES, VOID


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(),
        nn.Conv2d(cout, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(),
    )


class TinyUNet(nn.Module):
    def __init__(self, n_classes, width=16):
        super().__init__()
        self.down1 = double_conv(3, width)
        self.down2 = double_conv(width, 2 * width)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.merge = double_conv(2 * width, width)
        self.head = nn.Conv2d(width, n_classes, 1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(self.pool(a))
        return self.head(self.merge(torch.cat([a, self.up(b)], dim=1)))


class Segmenter(L.LightningModule):
    def __init__(self, lr=3e-3, width=16):
        super().__init__()
        self.save_hyperparameters()
        n = len(CLASS_NAMES)
        self.net = TinyUNet(n, width)
        self.loss = nn.CrossEntropyLoss(ignore_index=VOID)
        self.train_acc = MulticlassAccuracy(n, average="micro", ignore_index=VOID)
        self.val_metrics = MetricCollection(
            {
                "acc": MulticlassAccuracy(n, average="micro", ignore_index=VOID),
                "miou": MulticlassJaccardIndex(n),
            },
            prefix="val_",
        )

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, _):
        image, mask = batch
        logits = self(image)
        loss = self.loss(logits, mask)
        self.train_acc(logits, mask)
        self.log("train_loss", loss, prog_bar=True)
        self.log("train_acc", self.train_acc, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        image, mask = batch
        logits = self(image)
        self.log("val_loss", self.loss(logits, mask))
        self.val_metrics.update(logits, mask)

    def on_validation_epoch_end(self):
        self.log_dict(self.val_metrics.compute())
        self.val_metrics.reset()

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, mode="max", patience=2)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "monitor": "val_miou"}}
