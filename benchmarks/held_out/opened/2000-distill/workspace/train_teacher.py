import argparse

import torch
import torch.nn.functional as F

from kd.checkpoints import save_teacher
from kd.digits import digit_loaders
from kd.loops import accuracy
from kd.nets import TeacherNet

ap = argparse.ArgumentParser()
ap.add_argument("--width", type=int, default=16)
ap.add_argument("--epochs", type=int, default=4)
ap.add_argument("--lr", type=float, default=2e-3)
ap.add_argument("--out", default="ckpt/teacher.pt")
args = ap.parse_args()

torch.manual_seed(0)
train_loader, test_loader = digit_loaders(batch_size=50)
net = TeacherNet(args.width)
opt = torch.optim.Adam(net.parameters(), lr=args.lr)
for epoch in range(args.epochs):
    net.train()
    for x, y in train_loader:
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    acc = accuracy(net, test_loader)
    print(f"[teacher] epoch {epoch} loss {loss.item():.3f} test acc {acc:.3f}")
save_teacher(net, args.width, acc, args.out)
