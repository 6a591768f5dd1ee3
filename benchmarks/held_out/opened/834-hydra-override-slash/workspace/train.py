import logging

import hydra
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig
from torch.utils.data import DataLoader

from src.data import load

log = logging.getLogger(__name__)


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig):
    torch.manual_seed(cfg.seed)
    train_ds, test_ds, (mu, sd) = load(cfg.data)
    log.info("train windows %d, test windows %d", len(train_ds), len(test_ds))
    train_dl = DataLoader(train_ds, cfg.data.batch_size, shuffle=True)
    test_dl = DataLoader(test_ds, cfg.data.batch_size)
    model = instantiate(cfg.model)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.trainer.lr)
    loss_fn = torch.nn.L1Loss()
    for epoch in range(cfg.trainer.epochs):
        model.train()
        for x, y in train_dl:
            opt.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), cfg.trainer.clip)
            opt.step()
        model.eval()
        with torch.no_grad():
            mae = sum((model(x) - y).abs().sum().item() for x, y in test_dl)
        mae = mae / (len(test_ds) * cfg.data.horizon) * float(sd)
        log.info("epoch %d train %.4f test mae %.2f", epoch, loss.item(), mae)


if __name__ == "__main__":
    main()
