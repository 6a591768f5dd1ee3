import argparse
import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

from mixer import LeafMixer
from shards import split


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--shards", required=True)
    p.add_argument("--num-classes", type=int, default=6)
    p.add_argument("--image-size", type=int, default=32)
    p.add_argument("--patch", type=int, default=8)
    p.add_argument("--dim", type=int, default=96)
    p.add_argument("--depth", type=int, default=4)
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--save")
    return p.parse_args()


def main():
    a = get_args()
    torch.manual_seed(3)
    torch.set_num_threads(1)
    tr, va = split(a.shards)
    print(f"train {len(tr)}  val {len(va)}  args {vars(a)}")
    net = LeafMixer(a.image_size, a.patch, a.dim, a.depth, a.num_classes)
    opt = torch.optim.AdamW(net.parameters(), a.lr, weight_decay=0.02)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.epochs)
    for ep in range(a.epochs):
        net.train()
        s = 0
        for x, y in DataLoader(tr, a.batch, shuffle=True):
            loss = cross_entropy(net(x), y, label_smoothing=0.05)
            opt.zero_grad()
            loss.backward()
            opt.step()
            s += loss.item() * len(y)
        sched.step()
        net.eval()
        with torch.no_grad():
            ok = sum((net(x).argmax(1) == y).sum().item() for x, y in DataLoader(va, a.batch))
        print(f"ep {ep} loss {s / len(tr):.4f} acc {ok / len(va):.3f}")
    if a.save:
        torch.save({"args": vars(a), "model": net.state_dict()}, a.save)


if __name__ == "__main__":
    main()
