import argparse

import torch
from torch.utils.data import DataLoader

from roadseg.config import load_config
from roadseg.dataset import build_datasets
from roadseg.engine import mean_iou, train_epoch
from roadseg.losses import SegLoss
from roadseg.model import UNet


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    args = parser.parse_args()

    cfg = load_config(args.config)
    torch.manual_seed(cfg.seed)

    train_set, val_set = build_datasets(cfg.data)
    train_loader = DataLoader(train_set, batch_size=cfg.train.batch_size, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=cfg.train.batch_size)
    print(f"{cfg.experiment}: {len(train_set)} train tiles, {len(val_set)} val tiles")

    model = UNet(cfg.model.in_channels, cfg.model.num_classes, cfg.model.widths, cfg.model.dropout)
    criterion = SegLoss(cfg.loss.ce_weight, cfg.loss.dice_weight)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.optim.lr, weight_decay=cfg.optim.weight_decay)

    for epoch in range(cfg.train.epochs):
        train_epoch(model, train_loader, criterion, optimizer, epoch, cfg.train.log_every)
        print(f"epoch {epoch} mIoU {mean_iou(model, val_loader, cfg.model.num_classes):.3f}")


if __name__ == "__main__":
    main()
