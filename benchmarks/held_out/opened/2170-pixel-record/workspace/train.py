import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision.ops import box_convert, box_iou

from dataset import CLASSES, BoxScenes, collate
from model import GridNet
from targets import batch_targets, decode


def detection_loss(heat, geo, boxes, labels):
    t_heat, t_geo, used = batch_targets(boxes, labels, heat.shape[-1], heat.shape[1])
    weight = 1 + 20 * t_heat
    l_heat = F.binary_cross_entropy_with_logits(heat, t_heat, weight=weight)
    diff = (geo - t_geo).abs().sum(1)
    l_geo = diff[used].mean()
    return l_heat + 0.5 * l_geo, l_heat, l_geo


@torch.no_grad()
def recall_at_50(net, loader):
    net.eval()
    hit = total = 0
    for images, boxes, labels in loader:
        heat, geo = net(images)
        for i in range(len(images)):
            det = decode(heat[i].sigmoid(), geo[i])
            iou = box_iou(box_convert(boxes[i], "cxcywh", "xyxy"), box_convert(det[:, 2:], "cxcywh", "xyxy"))
            same = labels[i][:, None] == det[None, :, 1].long()
            hit += ((iou > 0.5) & same).any(1).sum().item()
            total += len(boxes[i])
    return hit / total


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--bs", type=int, default=12)
    ap.add_argument("--lr", type=float, default=4e-3)
    a = ap.parse_args()
    torch.manual_seed(11)
    train = DataLoader(BoxScenes("boxes/train.json"), batch_size=a.bs, shuffle=True, collate_fn=collate)
    val = DataLoader(BoxScenes("boxes/val.json"), batch_size=a.bs, collate_fn=collate)
    net = GridNet(len(CLASSES))
    opt = torch.optim.AdamW(net.parameters(), lr=a.lr)
    for epoch in range(a.epochs):
        net.train()
        run = torch.zeros(3)
        for images, boxes, labels in train:
            losses = detection_loss(*net(images), boxes, labels)
            opt.zero_grad()
            losses[0].backward()
            opt.step()
            run += torch.stack(losses).detach() / len(train)
        r = recall_at_50(net, val)
        print(f"epoch {epoch} loss {run[0]:.3f} (heat {run[1]:.3f}, geo {run[2]:.3f}) recall@.5 {r:.3f}", flush=True)
    torch.save(net.state_dict(), "gridnet.pth")


if __name__ == "__main__":
    main()
