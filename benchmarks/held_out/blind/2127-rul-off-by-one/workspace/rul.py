import logging

import hydra
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig
from torch.utils.data import DataLoader

from rul_data import load

log = logging.getLogger("rul")


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(cfg: DictConfig) -> None:
    torch.manual_seed(cfg.seed)
    train, test = load(cfg.data)
    model = instantiate(cfg.model)
    log.info("%s, %d training windows", type(model).__name__, len(train))
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    loss_fn = torch.nn.MSELoss()
    for epoch in range(cfg.epochs):
        model.train()
        for x, y in DataLoader(train, cfg.batch_size, shuffle=True):
            opt.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            err = torch.cat([model(x) - y for x, y in DataLoader(test, 256)])
        log.info("epoch %d  train mse %.4f  test rmse %.2f cycles", epoch, loss.item(), err.pow(2).mean().sqrt().item() * cfg.data.max_rul)


if __name__ == "__main__":
    main()
