import torch
from torch import nn
from torch.utils.data import DataLoader

import settings as S
from .data import Frames
from .net import HeatmapNet
from .targets import peak_points

weight = 20.0


def weighted_mse(pred, target):
    w = 1.0 + weight * target
    return (w * (pred - target).square()).mean()


def fit():
    torch.manual_seed(1)
    train = DataLoader(Frames(S.TRAIN_JSON, S.IMAGE_DIR), batch_size=S.BATCH, shuffle=True)
    val = DataLoader(Frames(S.VAL_JSON, S.IMAGE_DIR), batch_size=S.BATCH)
    net = HeatmapNet(len(S.JOINTS))
    opt = torch.optim.Adam(net.parameters(), lr=S.LR)
    for epoch in range(S.EPOCHS):
        net.train()
        total = 0
        for x, heat, _ in train:
            loss = weighted_mse(net(x), heat)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print("epoch %d  loss %.4f  mean error %.1f px" % (epoch, total / len(train), pixel_error(net, val)))
    return net


@torch.no_grad()
def pixel_error(net, loader):
    net.eval()
    dist = []
    for x, _, pts in loader:
        dist.append((peak_points(net(x), S.STRIDE) - pts).norm(dim=-1).flatten())
    return torch.cat(dist).mean()
