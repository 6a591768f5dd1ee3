import argparse

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

from common import accuracy, convnet, loaders

p = argparse.ArgumentParser()
p.add_argument("--width", type=int, default=32)
p.add_argument("--depth", type=int, default=3)
p.add_argument("--epochs", type=int, default=5)
p.add_argument("--out", default="teacher.safetensors")
a = p.parse_args()

torch.manual_seed(1)
train, test = loaders()
net = convnet(a.width, a.depth)
opt = torch.optim.Adam(net.parameters(), 2e-3)
for ep in range(a.epochs):
    net.train()
    for x, y in train:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()
    print(f"teacher epoch {ep}: acc {accuracy(net, test):.3f}")
save_file(net.state_dict(), a.out)
print("wrote", a.out)
