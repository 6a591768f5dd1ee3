import logging
import warnings

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback
from torch import nn
import torch.nn.functional as F

from listing_data import ListingsModule

warnings.filterwarnings("ignore", category=UserWarning)
logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)


class MultiTaskNet(L.LightningModule):
    """Shared trunk, one regression and one classification head, Kendall-style weighting."""

    def __init__(self, n_districts=9, emb=6, hidden=64, n_buckets=4, lr=3e-3):
        super().__init__()
        self.save_hyperparameters()
        self.emb = nn.Embedding(n_districts, emb)
        self.trunk = nn.Sequential(nn.Linear(12 + emb, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.price_head = nn.Linear(hidden, 1)
        self.bucket_head = nn.Linear(hidden, n_buckets)
        self.log_var = nn.Parameter(torch.zeros(2))

    def forward(self, num, district):
        h = self.trunk(torch.cat([num, self.emb(district)], dim=-1))
        return self.price_head(h).squeeze(-1), self.bucket_head(h)

    @torch.no_grad()
    def _losses(self, batch):
        price, bucket = self(batch["num"], batch["district"])
        l_price = F.mse_loss(price, batch["price"])
        l_bucket = F.cross_entropy(bucket, batch["bucket"])
        stacked = torch.stack([l_price, l_bucket])
        total = (torch.exp(-self.log_var) * stacked + self.log_var).sum()
        acc = (bucket.argmax(-1) == batch["bucket"]).float().mean()
        return {"loss": total, "mse": l_price.detach(), "ce": l_bucket.detach(), "acc": acc}

    def training_step(self, batch, _):
        out = self._losses(batch)
        self.log_dict({f"train/{k}": v for k, v in out.items()}, on_epoch=True, on_step=False)
        return out

    def validation_step(self, batch, _):
        out = self._losses(batch)
        self.log_dict({f"val/{k}": v for k, v in out.items()}, batch_size=len(batch["price"]))

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.9)
        return {"optimizer": opt, "lr_scheduler": sched}


class PrintMetrics(Callback):
    def on_train_epoch_end(self, trainer, module):
        m = {k: round(float(v), 3) for k, v in sorted(trainer.callback_metrics.items())}
        print(f"epoch {trainer.current_epoch}: {m}")


if __name__ == "__main__":
    L.seed_everything(7, verbose=False)
    trainer = L.Trainer(
        max_epochs=5,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        gradient_clip_val=1.0,
        callbacks=[PrintMetrics()],
    )
    model = MultiTaskNet()
    trainer.fit(model, datamodule=ListingsModule())
    print("task weights:", torch.exp(-model.log_var).tolist())
