import torch
import torch.nn as nn
import torch.nn.functional as F


class GridDetector(nn.Module):
    """Each cell of a stride-8 grid says: is the centre of a cell in me, and its box."""

    stride = 8

    def __init__(self, width=16):
        super().__init__()
        chans = [1, width, 2 * width, 4 * width]
        layers = []
        for a, b in zip(chans[:-1], chans[1:]):
            layers += [nn.Conv2d(a, b, 3, stride=2, padding=1), nn.BatchNorm2d(b), nn.ReLU()]
        self.backbone = nn.Sequential(*layers)
        self.head = nn.Conv2d(chans[-1], 5, 1)

    def forward(self, x):
        return self.head(self.backbone(x))

    def decode(self, out):
        """(B, 5, G, G) -> scores (B, G*G), boxes xyxy (B, G*G, 4)"""
        b, _, g, _ = out.shape
        ys, xs = torch.meshgrid(torch.arange(g), torch.arange(g), indexing="ij")
        cx = (xs + out[:, 1].sigmoid()) * self.stride
        cy = (ys + out[:, 2].sigmoid()) * self.stride
        w = out[:, 3].clamp(max=3).exp() * self.stride
        h = out[:, 4].clamp(max=3).exp() * self.stride
        boxes = torch.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], dim=-1)
        return out[:, 0].sigmoid().view(b, -1), boxes.view(b, -1, 4)

    def loss(self, out, targets):
        obj = torch.zeros_like(out[:, 0])
        reg_loss, n_pos = out.sum() * 0, 0
        for i, t in enumerate(targets):
            centre = (t[:, :2] + t[:, 2:] / 2) / self.stride
            cell = centre.long()
            obj[i, cell[:, 1], cell[:, 0]] = 1.0
            pred = out[i, 1:, cell[:, 1], cell[:, 0]].T
            off = F.mse_loss(pred[:, :2].sigmoid(), centre - cell, reduction="sum")
            size = F.smooth_l1_loss(pred[:, 2:], (t[:, 2:] / self.stride).log(), reduction="sum")
            reg_loss = reg_loss + off + size
            n_pos += len(t)
        obj_loss = F.binary_cross_entropy_with_logits(out[:, 0], obj)
        return obj_loss + 0.5 * reg_loss / max(n_pos, 1)
