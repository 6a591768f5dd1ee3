import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

from datasets_synth import build_loaders


def build_model():
    return nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))


def reduce_mean(value, world_size):
    t = torch.tensor([value])
    dist.all_reduce(t)
    return (t / world_size).item()


def train(args):
    rank = int(os.environ["RANK"])
    world_size = int(os.environ["WORLD_SIZE"])
    torch.manual_seed(rank)

    train_loader, test_loader, sampler = build_loaders(args.global_batch, world_size)
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    ddp = DDP(build_model())
    optimizer = torch.optim.SGD(ddp.parameters(), lr=args.lr, momentum=0.9)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        ddp.train()
        total = 0.0
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(ddp(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        mean_loss = reduce_mean(total / len(train_loader), world_size)
        if rank == 0:
            print(f"epoch {epoch} loss {mean_loss:.4f}", flush=True)

    if rank == 0:
        torch.save(ddp.module.state_dict(), args.ckpt)
    dist.barrier()

    if rank == 0:
        print(f"accuracy from {args.ckpt}: {evaluate(args.ckpt, test_loader):.3f}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


@torch.no_grad()
def evaluate(path, loader):
    model = build_model()
    model.load_state_dict(torch.load(path))
    model.eval()
    hits = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    return hits / len(loader.dataset)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--global-batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--ckpt", default="model_last.pt")
    train(p.parse_args())
