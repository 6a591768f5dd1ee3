import logging
import sys

import torch
import yaml
from torch.utils.data import DataLoader

from cropseg.net import TinyUNet
from cropseg.tiles import TileDataset

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", stream=sys.stdout)
log = logging.getLogger("cropseg")


def mean_iou(conf):
    inter = conf.diag().float()
    union = conf.sum(0) + conf.sum(1) - conf.diag()
    return (inter / union.clamp(min=1)).mean().item()


def run_epoch(net, loader, criterion, n_classes, opt=None):
    net.train(opt is not None)
    conf = torch.zeros(n_classes, n_classes, dtype=torch.long)
    total = 0.0
    for x, y in loader:
        with torch.set_grad_enabled(opt is not None):
            logits = net(x)
            loss = criterion(logits, y)
        if opt is not None:
            opt.zero_grad()
            loss.backward()
            opt.step()
        total += loss.item()
        idx = y.flatten() * n_classes + logits.argmax(1).flatten()
        conf += torch.bincount(idx, minlength=n_classes ** 2).view(n_classes, n_classes)
    return total / len(loader), mean_iou(conf)


def main(path):
    cfg = yaml.safe_load(open(path))
    stats = yaml.safe_load(open(cfg["stats_file"]))
    torch.manual_seed(1)
    train = TileDataset(cfg["scenes_dir"], cfg["train_scene"], cfg["tile"], stats, augment=True)
    valid = TileDataset(cfg["scenes_dir"], cfg["valid_scene"], cfg["tile"], stats)
    log.info("tiles: %d train, %d valid", len(train), len(valid))
    train_dl = DataLoader(train, cfg["optim"]["batch"], shuffle=True)
    valid_dl = DataLoader(valid, cfg["optim"]["batch"])

    n_classes = len(cfg["classes"])
    net = TinyUNet(len(cfg["bands"]), n_classes)
    criterion = torch.nn.CrossEntropyLoss()
    opt = torch.optim.Adam(net.parameters(), lr=cfg["optim"]["lr"])
    for epoch in range(cfg["optim"]["epochs"]):
        tl, ti = run_epoch(net, train_dl, criterion, n_classes, opt)
        vl, vi = run_epoch(net, valid_dl, criterion, n_classes)
        log.info("epoch %d  train %.3f / IoU %.3f   valid %.3f / IoU %.3f", epoch, tl, ti, vl, vi)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "settings.yaml")
