import hydra
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig

from pond.loop import fit
from pond.tables import load_split


@hydra.main(config_path="../conf", config_name="config", version_base="1.1")
def main(cfg: DictConfig):
    torch.manual_seed(cfg.seed)
    train, val = load_split(cfg.data.csv, cfg.data.target, cfg.data.val_every)
    model = instantiate(cfg.model)
    optimizer = instantiate(cfg.optim)(model.parameters())
    mae = fit(model, optimizer, train, val, cfg.epochs, cfg.batch_size)
    torch.save(model.state_dict(), "pond.pt")
    print(f"finished {cfg.model._target_} mae {mae:.4f}")


if __name__ == "__main__":
    main()
