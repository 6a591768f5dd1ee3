import warnings

import lightning as L
from lightning.pytorch.callbacks import EarlyStopping

from energy_data import EnergyDataModule
from forecaster import LSTMForecaster

warnings.filterwarnings("ignore", message=".*does not have many workers.*")

FEATURES = ["temperature", "hour_sin", "hour_cos", "holiday"]
HISTORY, HORIZON = 24, 6


def main():
    L.seed_everything(5)
    dm = EnergyDataModule("energy.csv", "load_kw", FEATURES, HISTORY, HORIZON)
    model = LSTMForecaster(n_features=len(FEATURES) + 1, horizon=HORIZON)

    trainer = L.Trainer(
        max_epochs=3,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        callbacks=[EarlyStopping(monitor="val_loss", patience=2, mode="min")],
    )
    trainer.fit(model, datamodule=dm)
    results = trainer.test(model, datamodule=dm, verbose=False)[0]
    print("  ".join(f"{k}={v:.4f}" for k, v in results.items()))


if __name__ == "__main__":
    main()
