from lightning.pytorch.callbacks import Callback


class PrintMetrics(Callback):
    def on_validation_epoch_end(self, trainer, pl_module):
        if trainer.sanity_checking:
            return
        m = trainer.callback_metrics
        print(f"[epoch {trainer.current_epoch}] " + " ".join(f"{k}={float(v):.4f}" for k, v in sorted(m.items())))
