import logging
from pathlib import Path

import hydra
import torch
from omegaconf import DictConfig, OmegaConf
from torch import nn
from torch.utils.data import DataLoader

from bearing import load_splits

log = logging.getLogger("train")


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hits = [(model(x).argmax(1) == y).float() for x, y in loader]
    return torch.cat(hits).mean().item()


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig):
    torch.manual_seed(cfg.seed)
    splits, names = load_splits(cfg.data, cfg.seed)
    train_dl = DataLoader(splits["train"], cfg.trainer.batch_size, shuffle=True)
    valid_dl = DataLoader(splits["valid"], cfg.trainer.batch_size)
    model = hydra.utils.instantiate(cfg.model)
    log.info("%d parameters, classes %s", sum(p.numel() for p in model.parameters()), names)

    opt = torch.optim.Adam(model.parameters(), lr=cfg.trainer.lr)
    loss_fn = nn.CrossEntropyLoss(label_smoothing=cfg.trainer.label_smoothing)
    best = -1.0
    path = Path(cfg.checkpoint)
    path.parent.mkdir(exist_ok=True)
    for epoch in range(cfg.trainer.epochs):
        model.train()
        total = 0.0
        for x, y in train_dl:
            loss = loss_fn(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        acc = accuracy(model, valid_dl)
        log.info("epoch %d loss %.4f valid acc %.3f", epoch, total / len(train_dl), acc)
        if acc > best:
            best = acc
            torch.save(
                {
                    "model": model.state_dict(),
                    "epoch": epoch,
                    "valid_acc": acc,
                    "cfg": OmegaConf.to_container(cfg.model, resolve=True),
                },
                path,
            )
    log.info("best valid acc %.3f", best)


if __name__ == "__main__":
    main()
