"""Train the small U-Net on synthetic cells."""
import torch
from torch.utils.data import DataLoader

from cellseg.objectives import confusion, mean_iou, segmentation_loss
from cellseg.settings import Settings
from cellseg.synth import SyntheticCells
from cellseg.unet import UNet

NAMES = ["background", "cytoplasm", "nucleus"]


def loaders(cfg, seed):
    common = dict(size=cfg.size, max_cells=cfg.max_cells, noise=cfg.noise)
    train = SyntheticCells(cfg.num_train, seed=seed, **common)
    val = SyntheticCells(cfg.num_val, seed=seed + 1, **common)
    return (DataLoader(train, batch_size=cfg.batch_size, shuffle=True),
            DataLoader(val, batch_size=cfg.batch_size))


def validate(model, loader, classes):
    model.eval()
    total = torch.zeros(classes, classes, dtype=torch.long)
    for image, mask in loader:
        with torch.no_grad():
            total += confusion(model(image), mask)
    return mean_iou(total)


def main():
    s = Settings()
    s.describe()
    torch.manual_seed(s.train.seed)
    train_loader, val_loader = loaders(s.data, s.train.seed)
    model = UNet(s.model)
    opt = torch.optim.Adam(model.parameters(), lr=s.train.lr)
    print(f"{sum(p.numel() for p in model.parameters()) / 1e3:.1f}k parameters")

    for epoch in range(1, s.train.epochs + 1):
        model.train()
        running = 0.0
        for image, mask in train_loader:
            loss = segmentation_loss(model(image), mask, s.train.dice_weight)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item() * image.size(0)
        per_class, miou = validate(model, val_loader, s.model.classes)
        detail = " ".join(f"{n}={v:.2f}" for n, v in zip(NAMES, per_class.tolist()))
        print(f"epoch {epoch}: loss {running / s.data.num_train:.4f}  mIoU {miou:.3f}  ({detail})")


if __name__ == "__main__":
    main()
