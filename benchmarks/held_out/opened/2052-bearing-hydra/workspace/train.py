import logging

import hydra
import torch
import torch.nn.functional as F
from hydra.utils import instantiate
from omegaconf import DictConfig
from torch.utils.data import DataLoader

from bearing.signals import make_set

log = logging.getLogger("train")


def accuracy(net, loader):
    net.eval()
    with torch.no_grad():
        hits = [(net(x).argmax(1) == y).float() for x, y in loader]
    return torch.cat(hits).mean().item()


def fit(cfg, net, opt, train_dl, test_dl):
    for epoch in range(1, cfg.epochs + 1):
        net.train()
        running = 0.0
        for x, y in train_dl:
            loss = F.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item()
        log.info("epoch %d loss %.4f test_acc %.3f", epoch, running / len(train_dl), accuracy(net, test_dl))


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig):
    torch.manual_seed(cfg.seed)
    train_set = make_set(cfg.data, cfg.data.n_train, seed=cfg.seed)
    test_set = make_set(cfg.data, cfg.data.n_test, seed=cfg.seed + 1)
    log.info("data %s: %d train / %d test windows of %d samples", cfg.data.name, len(train_set), len(test_set), cfg.data.window)
    train_dl = DataLoader(train_set, cfg.data.batch_size, shuffle=True)
    test_dl = DataLoader(test_set, 64)

    net = instantiate(cfg.model.net)
    opt = instantiate(cfg.optim.factory)(net.parameters())
    log.info("run %s, %d parameters", cfg.run_name, sum(p.numel() for p in net.parameters()))
    fit(cfg, net, opt, train_dl, test_dl)


if __name__ == "__main__":
    main()
