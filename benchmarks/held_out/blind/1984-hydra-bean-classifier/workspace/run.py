import logging

import hydra
import torch
from omegaconf import DictConfig
from torch import nn

from datamodule import make_loaders
from network import build_mlp, count_parameters
from optim import build_optimizer, build_scheduler

log = logging.getLogger(__name__)


def accuracy(model, loader):
    model.eval()
    hits = 0
    with torch.no_grad():
        for x, y in loader:
            hits += (model(x).argmax(1) == y).sum().item()
    return hits / len(loader.dataset)


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig):
    torch.manual_seed(cfg.seed)
    train_loader, val_loader, n_inputs, classes = make_loaders(cfg.data)
    model = build_mlp(n_inputs, len(classes), cfg.model)
    log.info("classes: %s, parameters: %d", classes, count_parameters(model))

    optimizer = build_optimizer(model, cfg.optim)
    scheduler = build_scheduler(
        optimizer,
        cfg.optim,
        num_samples=len(train_loader.dataset),
        batch_size=cfg.data.batch_size,
        epochs=cfg.trainer.epochs,
    )
    criterion = nn.CrossEntropyLoss()

    for epoch in range(cfg.trainer.epochs):
        model.train()
        running = 0.0
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), cfg.trainer.grad_clip)
            optimizer.step()
            scheduler.step()
            running += loss.item() * len(y)
        log.info(
            "epoch %d loss %.4f val acc %.3f lr %.5f",
            epoch + 1,
            running / len(train_loader.dataset),
            accuracy(model, val_loader),
            scheduler.get_last_lr()[0],
        )


if __name__ == "__main__":
    main()
