import json
import sys

import torch
from torch.utils.data import DataLoader

from seg.data import Cells
from seg.losses import CombinedLoss
from seg.nets import SmallUNet


class ConfusionMatrix:
    def __init__(self, k, ignore_index):
        self.k, self.ignore_index = k, ignore_index
        self.mat = torch.zeros(k, k, dtype=torch.long)

    def update(self, pred, target):
        keep = target != self.ignore_index
        idx = target[keep] * self.k + pred[keep]
        self.mat += torch.bincount(idx, minlength=self.k ** 2).reshape(self.k, self.k)

    def iou(self):
        tp = self.mat.diag().float()
        return tp / (self.mat.sum(0) + self.mat.sum(1) - tp).clamp(min=1)


def train_one_epoch(model, loader, criterion, optimizer, lr_sched, amp_dtype):
    model.train()
    for step, (img, mask) in enumerate(loader):
        with torch.autocast("cpu", dtype=amp_dtype):
            logits = model(img)
        loss = criterion(logits, mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        lr_sched.step()
        if step % 5 == 0:
            print(f"  step {step:3d} loss {loss.item():.4f} lr {lr_sched.get_last_lr()[0]:.5f}")


@torch.inference_mode()
def evaluate(model, loader, opts):
    model.eval()
    cm = ConfusionMatrix(opts["num_classes"], opts["ignore_index"])
    for img, mask in loader:
        cm.update(model(img).argmax(1), mask)
    return cm.iou()


def main():
    opts = json.load(open(sys.argv[1] if len(sys.argv) > 1 else "options.json"))
    torch.manual_seed(1234)
    train = DataLoader(Cells(opts["n_images"], opts["size"], opts["ignore_index"], 0), opts["batch_size"], shuffle=True)
    val = DataLoader(Cells(24, opts["size"], opts["ignore_index"], 1), 12)
    model = SmallUNet(1, opts["num_classes"], opts["channels"])
    criterion = CombinedLoss(opts["num_classes"], opts["ignore_index"], **opts["loss"])
    optimizer = torch.optim.SGD(model.parameters(), lr=opts["lr"], momentum=0.9, nesterov=True)
    lr_sched = torch.optim.lr_scheduler.PolynomialLR(optimizer, opts["epochs"] * len(train), power=0.9)
    best = -1.0
    for epoch in range(opts["epochs"]):
        print(f"epoch {epoch}")
        train_one_epoch(model, train, criterion, optimizer, lr_sched, getattr(torch, opts["amp_dtype"]))
        iou = evaluate(model, val, opts)
        print("  IoU", [round(v, 3) for v in iou.tolist()])
        if iou.mean() > best:
            best = iou.mean().item()
            torch.save({"model": model.state_dict(), "epoch": epoch, "miou": best}, opts["checkpoint"])
    best_ckpt = torch.load(opts["checkpoint"], weights_only=True)
    model.load_state_dict(best_ckpt["model"])
    print(f"best mIoU {best_ckpt['miou']:.3f} from epoch {best_ckpt['epoch']}")


if __name__ == "__main__":
    main()
