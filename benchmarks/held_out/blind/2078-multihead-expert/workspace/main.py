import lightning as L
from lightning.pytorch.callbacks import ModelCheckpoint

from classifier import SpiralClassifier
from spirals import SpiralData


def main():
    L.seed_everything(21)
    data = SpiralData()
    ckpt = ModelCheckpoint(dirpath="checkpoints", filename="best", monitor="val_acc", mode="max",
                           save_weights_only=True, enable_version_counter=False)
    trainer = L.Trainer(max_epochs=5, accelerator="cpu", logger=False, callbacks=[ckpt],
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(SpiralClassifier(n_classes=data.n_classes), datamodule=data)
    print(f"best val_acc {ckpt.best_model_score:.3f} in {ckpt.best_model_path.split('/')[-1]}")

    best = SpiralClassifier.load_from_checkpoint(ckpt.best_model_path)
    (res,) = trainer.test(best, datamodule=data, verbose=False)
    print("test on the best checkpoint:", {k: round(v, 3) for k, v in res.items()})


if __name__ == "__main__":
    main()
