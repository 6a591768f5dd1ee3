import lightning as L
import torch
import torch.nn.functional as F
from torchmetrics.classification import MulticlassAccuracy

from .net import KeywordNet


class LitKeyword(L.LightningModule):
    def __init__(self, cfg):
        super().__init__()
        self.save_hyperparameters(cfg)
        n = len(cfg["audio"]["words"])
        self.net = KeywordNet(cfg["audio"]["n_mels"], n, **cfg["net"])
        self.acc = MulticlassAccuracy(n, average="micro")
        self.cfg = cfg

    def training_step(self, batch, batch_idx):
        x, lengths, y = batch
        loss = F.cross_entropy(self.net(x, lengths), y)
        self.log("train/loss", loss, on_epoch=True, on_step=False, batch_size=len(y))
        return loss

    def validation_step(self, batch, batch_idx):
        x, lengths, y = batch
        logits = self.net(x, lengths)
        self.acc(logits, y)
        self.log("val/loss", F.cross_entropy(logits, y), batch_size=len(y))
        self.log("val/acc", self.acc, batch_size=len(y))

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        if not self.trainer.sanity_checking:
            print(f"epoch {self.current_epoch}: " + ", ".join(f"{k}={float(v):.3f}" for k, v in sorted(m.items())))

    def configure_optimizers(self):
        o = self.cfg["optim"]
        opt = torch.optim.AdamW(self.parameters(), lr=o["lr"], weight_decay=o["weight_decay"])
        sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=o["sched_patience"])
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "monitor": "val/loss"}}
