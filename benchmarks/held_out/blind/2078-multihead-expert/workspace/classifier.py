import lightning as L
import torch
import torch.nn.functional as F

from experts import MixtureOfExperts


class SpiralClassifier(L.LightningModule):
    def __init__(self, n_classes=4, n_hidden=24, n_experts=4, lr=1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.body = MixtureOfExperts(2, n_hidden, n_experts)
        self.head = torch.nn.Linear(n_hidden, n_classes)

    def forward(self, x):
        return self.head(self.body(x))

    def _shared(self, batch, split):
        x, y = batch
        logits = self(x)
        loss = F.cross_entropy(logits, y)
        acc = (logits.argmax(1) == y).float().mean()
        self.log_dict({f"{split}_loss": loss, f"{split}_acc": acc}, on_step=False, on_epoch=True)
        return loss

    def training_step(self, batch, _):
        return self._shared(batch, "train")

    def validation_step(self, batch, _):
        self._shared(batch, "val")

    def test_step(self, batch, _):
        self._shared(batch, "test")

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch}: train_loss {m['train_loss']:.3f} "
              f"val_loss {m['val_loss']:.3f} val_acc {m['val_acc']:.3f}", flush=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
