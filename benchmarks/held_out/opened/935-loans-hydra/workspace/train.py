import hydra
import lightning as L
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

from loan_data import make_loaders
from loan_model import LoanModule


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(cfg: DictConfig):
    print(OmegaConf.to_yaml(cfg))
    L.seed_everything(cfg.seed)

    train_loader, val_loader = make_loaders(
        cfg.data.path,
        cfg.data.target,
        cfg.data.val_fraction,
        cfg.data.batch_size,
        cfg.seed,
    )
    net = instantiate(cfg.model)
    module = LoanModule(net, cfg.optim)
    trainer = L.Trainer(
        **cfg.trainer,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        num_sanity_val_steps=0,
    )
    trainer.fit(module, train_loader, val_loader)
    print({k: round(float(v), 4) for k, v in trainer.callback_metrics.items()})


if __name__ == "__main__":
    main()
