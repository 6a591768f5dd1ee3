import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from boxdet.data import CocoBoxes, collate
from boxdet.model import TinyDetector
from boxdet.targets import encode


def detection_loss(heat, size, heat_t, size_t, mask):
    cls = F.binary_cross_entropy_with_logits(heat, heat_t, reduction="sum")
    reg = (F.smooth_l1_loss(size, size_t, reduction="none").sum(1) * mask).sum()
    return (cls + 0.5 * reg) / mask.sum().clamp(min=1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--annotations", default="data/annotations.json")
    p.add_argument("--images", default="data/images.npz")
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--batch-size", type=int, default=8)
    args = p.parse_args()
    torch.manual_seed(0)

    data = CocoBoxes(args.annotations, args.images)
    loader = DataLoader(data, args.batch_size, shuffle=True, collate_fn=collate)
    model = TinyDetector(len(data.names))
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    print(f"{len(data)} images, classes: {', '.join(data.names)}")

    for epoch in range(args.epochs):
        total = 0.0
        for images, boxes, labels in loader:
            heat, size = model(images)
            targets = encode(boxes, labels, heat.shape[-1], len(data.names))
            loss = detection_loss(heat, size, *targets)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"epoch {epoch + 1}/{args.epochs}  loss {total / len(loader):.3f}")


if __name__ == "__main__":
    main()
