import lightning as L
import torch
import torch.nn.functional as F


class Detector(L.LightningModule):
    """Shared training logic; subclasses give forward(x) -> (batch,) logits."""

    lr = 1e-3

    def training_step(self, batch, batch_idx):
        x, y = batch
        return F.binary_cross_entropy_with_logits(self(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.log("val_loss", F.binary_cross_entropy_with_logits(logits, y))
        self.log("val_acc", ((logits > 0) == y.bool()).float().mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)
