import torch
import torch.nn.functional as F
from lightning.pytorch import LightningModule
from torchmetrics.classification import MulticlassJaccardIndex

from .net import HourGlass


class SegModule(LightningModule):
    def __init__(self, net_cfg, optim_cfg, n_classes):
        super().__init__()
        self.optim_cfg = optim_cfg
        self.net = HourGlass(list(net_cfg.widths), n_classes, net_cfg.norm)
        self.iou = torch.nn.ModuleDict(
            {s + "_iou": MulticlassJaccardIndex(num_classes=n_classes) for s in ("train", "val")}
        )

    def forward(self, x):
        return self.net(x)

    def _step(self, batch, stage):
        img, mask = batch
        logits = self(img)
        loss = F.cross_entropy(logits, mask)
        iou = self.iou[stage + "_iou"]
        iou.update(logits.argmax(1), mask)
        self.log(f"{stage}_loss", loss, prog_bar=False)
        self.log(f"{stage}_iou", iou, on_epoch=True, on_step=False)
        return loss

    def training_step(self, batch, batch_idx):
        return self._step(batch, "train")

    def validation_step(self, batch, batch_idx):
        self._step(batch, "val")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(
            self.parameters(), lr=self.optim_cfg.lr, weight_decay=self.optim_cfg.weight_decay
        )
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=self.trainer.max_epochs)
        return {"optimizer": opt, "lr_scheduler": sched}
