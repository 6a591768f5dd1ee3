"""python train.py tcn_small optim.lr=0.001"""
import sys
import warnings

import lightning as L
from lightning.pytorch.callbacks import ModelCheckpoint

from gridcast.data.datamodule import LoadDataModule
from gridcast.engine.module import ForecastModule
from gridcast.utils.callbacks import PrintMetrics
from gridcast.utils.conf import read_conf

warnings.filterwarnings("ignore", ".*does not have many workers.*")


def main(experiment, overrides):
    conf = read_conf(experiment, overrides)
    L.seed_everything(conf.seed)
    dm = LoadDataModule(**conf.data)
    module = ForecastModule(
        model_name=conf.model.name,
        model_args=dict(conf.model.args),
        n_features=len(conf.data.columns),
        horizon=conf.data.horizon,
        lr=conf.optim.lr,
    )
    ckpt = ModelCheckpoint(dirpath=f"checkpoints/{experiment}", filename="best", monitor="val_mae", mode="min")
    trainer = L.Trainer(
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        callbacks=[ckpt, PrintMetrics()],
        **conf.trainer,
    )
    trainer.fit(module, datamodule=dm)
    print("best", ckpt.best_model_path.rsplit("/", 2)[-1], float(ckpt.best_model_score))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
