from lightning.pytorch.callbacks import Callback, EarlyStopping


class PrintMetrics(Callback):
    def on_train_epoch_end(self, trainer, pl_module):
        m = {k: float(v) for k, v in trainer.callback_metrics.items()}
        print(f"epoch {trainer.current_epoch}: " + "  ".join(f"{k} {v:.4f}" for k, v in sorted(m.items())))


def build_callbacks(patience):
    return [
        EarlyStopping(monitor="valid_loss", mode="min", patience=patience),
        PrintMetrics(),
    ]
