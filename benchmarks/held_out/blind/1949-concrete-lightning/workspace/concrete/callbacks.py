from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint


class EpochPrinter(Callback):
    def on_train_epoch_end(self, trainer, pl_module):
        m = trainer.callback_metrics
        parts = [f"{k}={v.item():.4f}" for k, v in sorted(m.items())]
        print(f"[epoch {trainer.current_epoch}] " + "  ".join(parts))


def default_callbacks(ckpt_dir, patience):
    checkpoint = ModelCheckpoint(
        dirpath=ckpt_dir,
        filename="best-{epoch:02d}",
        monitor="val/rmse",
        mode="min",
        save_top_k=1,
        auto_insert_metric_name=False,
    )
    stopper = EarlyStopping(monitor="val_rmse", mode="min", patience=patience, min_delta=1e-3)
    return [EpochPrinter(), checkpoint, stopper]
