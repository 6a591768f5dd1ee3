import argparse
import logging

import torch
import yaml
from torch.utils.data import DataLoader

from nuclei.data import NucleiTiles
from nuclei.losses import combined, iou
from nuclei.unet import UNet

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("nuclei")


def build_loaders(cfg):
    d = cfg["data"]
    common = dict(tile=d["tile"], max_nuclei=d["max_nuclei"], noise=d["noise"])
    train = NucleiTiles(d["n_train"], seed=cfg["seed"], augment=True, **common)
    val = NucleiTiles(d["n_val"], seed=cfg["seed"] + 100, **common)
    bs = cfg["train"]["batch_size"]
    return DataLoader(train, bs, shuffle=True), DataLoader(val, bs)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("-c", "--config", default="configs/default.yaml")
    args = ap.parse_args()
    with open(args.config) as fh:
        cfg = yaml.safe_load(fh)
    torch.manual_seed(cfg["seed"])

    train_dl, val_dl = build_loaders(cfg)
    model = UNet(**cfg["model"])
    log.info("parameters: %d", sum(p.numel() for p in model.parameters()))
    tcfg = cfg["train"]
    opt = torch.optim.AdamW(model.parameters(), lr=tcfg["lr"])
    sched = torch.optim.lr_scheduler.OneCycleLR(
        opt, max_lr=tcfg["lr"], total_steps=tcfg["epochs"] * len(train_dl))

    for epoch in range(tcfg["epochs"]):
        model.train()
        running = 0.0
        for img, mask in train_dl:
            opt.zero_grad(set_to_none=True)
            loss = combined(model(img), mask, tcfg["bce_weight"])
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item() * img.size(0)
        model.eval()
        with torch.no_grad():
            scores = [iou(model(x), y) for x, y in val_dl]
        log.info("epoch %d loss %.4f val_iou %.3f", epoch,
                 running / len(train_dl.dataset), sum(scores) / len(scores))
    torch.save({"model": model.state_dict(), "cfg": cfg}, "unet.pt")


if __name__ == "__main__":
    main()
