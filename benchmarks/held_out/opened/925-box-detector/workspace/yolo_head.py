import torch
import torch.nn as nn
import torch.nn.functional as F


class TinyYolo(nn.Module):
    def __init__(self, grid, num_classes):
        super().__init__()
        self.grid = grid
        self.num_classes = num_classes

        def block(i, o):
            return nn.Sequential(nn.Conv2d(i, o, 3, 2, 1), nn.BatchNorm2d(o), nn.LeakyReLU(0.1))

        self.backbone = nn.Sequential(block(3, 16), block(16, 32), block(32, 48))
        self.head = nn.Conv2d(48, 5 + num_classes, 1)

    def forward(self, x):
        return self.head(self.backbone(x)).permute(0, 2, 3, 1)


def build_targets(boxes, labels, grid, num_classes):
    target = torch.zeros(len(boxes), grid, grid, 5 + num_classes)
    for b, (bxs, lbs) in enumerate(zip(boxes, labels)):
        for (cx, cy, w, h), cls in zip(bxs.tolist(), lbs.tolist()):
            gx, gy = int(cx * grid), int(cy * grid)
            cell = target[b, gy, gx]
            cell[0] = 1.0
            cell[1:5] = torch.tensor([cx * grid - gx, cy * grid - gy, w, h])
            cell[5 + cls] = 1.0
    return target


def yolo_loss(pred, target):
    obj = target[..., 0] > 0
    obj_loss = F.binary_cross_entropy_with_logits(pred[..., 0], target[..., 0])
    box_loss = F.mse_loss(pred[..., 1:5][obj].sigmoid(), target[..., 1:5][obj])
    cls_loss = F.cross_entropy(pred[..., 5:][obj], target[..., 5:][obj].argmax(-1))
    return obj_loss + 5.0 * box_loss + cls_loss
