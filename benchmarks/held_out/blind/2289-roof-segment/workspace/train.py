import sys

import torch
from omegaconf import OmegaConf
from torch.utils.data import DataLoader

from losses import SegLoss
from net import MiniUNet
from tiles import RoofTiles

cfg = OmegaConf.merge(OmegaConf.load("conf/base.yaml"), OmegaConf.from_cli(sys.argv[1:]))
torch.manual_seed(cfg.seed)

n_classes = len(cfg.data.classes)
train_dl = DataLoader(RoofTiles(cfg.data, cfg.data.tiles, 0), cfg.train.batch_size, shuffle=True)
val_dl = DataLoader(RoofTiles(cfg.data, 24, 1), cfg.train.batch_size)
model = MiniUNet(n_classes, **cfg.model)
criterion = SegLoss(n_classes, **cfg.loss)
opt = torch.optim.Adam(model.parameters(), lr=cfg.train.lr)

for epoch in range(cfg.train.epochs):
    model.train()
    for img, mask in train_dl:
        loss = criterion(model(img), mask)
        opt.zero_grad()
        loss.backward()
        opt.step()

    model.eval()
    inter, union = torch.zeros(n_classes), torch.zeros(n_classes)
    with torch.no_grad():
        for img, mask in val_dl:
            pred = model(img).argmax(1)
            seen = mask != cfg.data.border_label
            for k in range(n_classes):
                p, t = (pred == k) & seen, mask == k
                inter[k] += (p & t).sum()
                union[k] += (p | t).sum()
    iou = inter / union.clamp(min=1)
    print(f"epoch {epoch} loss {loss.item():.3f} " + " ".join(f"{c}={v:.2f}" for c, v in zip(cfg.data.classes, iou)))
