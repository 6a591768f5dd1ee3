import sys

import torch
import torch.nn as nn
import yaml

ACTIVATIONS = {"sigmoid": nn.Sigmoid, "identity": nn.Identity, "softplus": nn.Softplus}


def make_cracks(n, size, seed=0):
    """Noisy concrete-like textures with random-walk cracks."""
    g = torch.Generator().manual_seed(seed)
    images = 0.5 + 0.1 * torch.randn(n, 1, size, size, generator=g)
    masks = torch.zeros(n, 1, size, size)
    for i in range(n):
        col = int(torch.randint(10, size - 10, (1,), generator=g))
        moves = torch.randint(-1, 2, (size,), generator=g).cumsum(0)
        cols = (col + moves).clamp(0, size - 1)
        masks[i, 0, torch.arange(size), cols] = 1.0
    images -= 0.35 * masks
    return images, masks


class DilatedNet(nn.Module):
    def __init__(self, width, dilations, out_activation):
        super().__init__()
        layers, cin = [], 1
        for d in dilations:
            layers += [nn.Conv2d(cin, width, 3, padding=d, dilation=d), nn.GroupNorm(4, width), nn.SiLU()]
            cin = width
        layers += [nn.Conv2d(cin, 1, 1), ACTIVATIONS[out_activation]()]
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


class SegLoss(nn.Module):
    def __init__(self, bce, dice, eps=1.0):
        super().__init__()
        self.w_bce, self.w_dice, self.eps = bce, dice, eps
        self.bce = nn.BCELoss()

    def forward(self, prob, target):
        inter = (prob * target).sum((1, 2, 3))
        union = prob.sum((1, 2, 3)) + target.sum((1, 2, 3))
        dice = 1 - ((2 * inter + self.eps) / (union + self.eps)).mean()
        return self.w_bce * self.bce(prob, target) + self.w_dice * dice


@torch.inference_mode()
def iou(model, x, y):
    pred = model(x) > 0.5
    y = y > 0.5
    return ((pred & y).sum() / (pred | y).sum().clamp(min=1)).item()


def main(path):
    cfg = yaml.safe_load(open(path))
    torch.manual_seed(0)
    dev = torch.device("cuda")
    x, y = (t.to(dev) for t in make_cracks(cfg["samples"], cfg["image_size"]))
    model = DilatedNet(**cfg["model"]).to(dev)
    criterion = SegLoss(**cfg["loss"])
    o = cfg["optim"]
    opt = torch.optim.AdamW(model.parameters(), lr=o["lr"])
    for epoch in range(o["epochs"]):
        perm = torch.randperm(len(x), device=dev)
        for idx in perm.split(o["batch_size"]):
            loss = criterion(model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"{cfg['experiment']} epoch {epoch}: loss {loss.item():.4f} iou {iou(model, x, y):.3f}")


if __name__ == "__main__":
    main(sys.argv[1])
