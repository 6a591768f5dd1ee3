import logging
import warnings

import hydra
import lightning as L
from omegaconf import DictConfig

from kd.datamodule import Digits
from kd.module import Distiller, load_teacher
from kd.nets import build_mlp

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig) -> None:
    L.seed_everything(cfg.seed)
    data = Digits(**cfg.data)
    teacher = load_teacher(cfg)
    student = build_mlp(cfg.student)
    module = Distiller(student, teacher, cfg.kd, cfg.optim)
    trainer = L.Trainer(
        **cfg.trainer,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
    )
    trainer.fit(module, datamodule=data)
    metrics = trainer.validate(module, datamodule=data, verbose=False)[0]
    print({k: round(v, 3) for k, v in metrics.items()})


if __name__ == "__main__":
    main()
