import hydra
import lightning as L
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from omegaconf import DictConfig, OmegaConf

from failure_model import FailureModel
from sensor_data import SensorData

OmegaConf.register_new_resolver("len_of", lambda seq: len(seq))


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(cfg: DictConfig):
    L.seed_everything(cfg.seed)
    data = SensorData(**cfg.data)
    model = FailureModel(**cfg.model)

    callbacks = [
        EarlyStopping(cfg.trainer.monitor, patience=cfg.trainer.patience),
        ModelCheckpoint(cfg.trainer.ckpt_dir, monitor=cfg.trainer.monitor),
    ]
    trainer = L.Trainer(
        max_epochs=cfg.trainer.max_epochs,
        callbacks=callbacks,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
    )
    trainer.fit(model, datamodule=data)
    result = trainer.validate(model, datamodule=data, verbose=False)[0]
    print({k: round(v, 4) for k, v in result.items()})


if __name__ == "__main__":
    main()
