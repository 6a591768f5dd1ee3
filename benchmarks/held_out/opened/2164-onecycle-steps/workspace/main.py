import argparse
import json
import os

import torch
from torch.utils.data import DataLoader

from gear import hooks, zoo  # noqa: F401  (fills the registries)
from gear.registry import HOOKS, MODELS
from gear.signals import build_sets
from gear.trainer import Trainer


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--config", default="config.json")
    p.add_argument("--resume", action="store_true")
    p.add_argument("--epochs", type=int)
    return p.parse_args()


def main():
    args = parse()
    with open(args.config) as fh:
        cfg = json.load(fh)
    tcfg, dcfg = cfg["train"], cfg["data"]
    epochs = args.epochs or tcfg["epochs"]
    torch.manual_seed(cfg["seed"])

    train_set, val_set = build_sets(dcfg, cfg["seed"])
    bs = tcfg["batch_size"]
    train_loader = DataLoader(train_set, batch_size=bs, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=4 * bs)

    model = MODELS.build(
        cfg["model"]["name"],
        channels=dcfg["channels"],
        window=dcfg["window"],
        classes=dcfg["classes"],
        **cfg["model"]["kwargs"],
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=tcfg["lr"])
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer,
        max_lr=tcfg["max_lr"],
        epochs=epochs,
        steps_per_epoch=len(train_set) // bs,
    )
    hook_list = [
        HOOKS.build("lr_stepper"),
        HOOKS.build("printer"),
        HOOKS.build("saver", run_dir=cfg["run_dir"]),
    ]
    trainer = Trainer(model, optimizer, scheduler, hook_list, epochs)
    if args.resume:
        trainer.resume(os.path.join(cfg["run_dir"], "last.pt"))
    trainer.fit(train_loader, val_loader)


if __name__ == "__main__":
    main()
