import argparse
import copy
import os

import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, TensorDataset

from denoiser import StrokeDenoiser
from noise import CosineNoise
from strokes import SHAPES, dataset

ap = argparse.ArgumentParser()
ap.add_argument("--width", type=int, default=48)
ap.add_argument("--steps", type=int, default=60)
ap.add_argument("--epochs", type=int, default=8)
ap.add_argument("--drop-class", type=float, default=0.15)
ap.add_argument("--out", default="out/strokes.pt")
args = ap.parse_args()

torch.manual_seed(0)
x, y = dataset(1280)
loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True, drop_last=True)
net = StrokeDenoiser(len(SHAPES), args.width)
ema = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.98))
noise = CosineNoise(args.steps)
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)

for epoch in range(1, args.epochs + 1):
    total = 0.0
    for x0, label in loader:
        label = label.masked_fill(torch.rand(len(label)) < args.drop_class, len(SHAPES))
        t = noise.random_steps(len(x0))
        eps = torch.randn_like(x0)
        loss = (net(noise.diffuse(x0, t, eps), t, label) - eps).square().mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        ema.update_parameters(net)
        total += loss.item()
    print(f"epoch {epoch}: loss {total / len(loader):.4f}", flush=True)

os.makedirs(os.path.dirname(args.out), exist_ok=True)
state = copy.deepcopy(ema.module.state_dict())
torch.save({"ema": state, "steps": args.steps, "shapes": SHAPES}, args.out)
print("saved", args.out)
