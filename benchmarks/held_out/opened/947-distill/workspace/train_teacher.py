import argparse
import os

import torch
import torch.nn.functional as F

from common import accuracy, digit_loaders
from nets import Teacher

p = argparse.ArgumentParser()
p.add_argument("--width", type=int, default=96)
p.add_argument("--epochs", type=int, default=3)
p.add_argument("--out", required=True)
args = p.parse_args()

torch.manual_seed(0)
train, test = digit_loaders()
model = Teacher(args.width)
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(args.epochs):
    model.train()
    for x, y in train:
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"teacher epoch {epoch} acc {accuracy(model, test):.3f}")
os.makedirs(os.path.dirname(args.out), exist_ok=True)
torch.save({"model": model.state_dict(), "width": args.width}, args.out)
print("saved", args.out)
