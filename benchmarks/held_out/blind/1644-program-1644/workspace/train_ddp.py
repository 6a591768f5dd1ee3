import argparse
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from churn_data import splits
from net import ChurnNet
from stopping import EarlyStopping


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=30)
    p.add_argument("--patience", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--n-train", type=int, default=2400)
    p.add_argument("--n-val", type=int, default=600)
    return p.parse_args()


def run_epoch(model, loader, loss_fn, opt):
    model.train()
    total = 0.0
    for x, y in loader:
        loss = loss_fn(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def run_validation(model, loader, loss_fn):
    model.eval()
    total, seen = 0.0, 0
    for x, y in loader:
        total += loss_fn(model.module(x), y).item() * len(y)
        seen += len(y)
    return total / seen


def main():
    args = parse()
    dist.init_process_group("gloo", timeout=timedelta(seconds=40))
    rank = dist.get_rank()
    torch.manual_seed(100)

    train_set, val_set = splits(args.n_train, args.n_val, seed=2)
    train_sampler = DistributedSampler(train_set, shuffle=True, seed=1)
    train_loader = DataLoader(train_set, args.batch_size, sampler=train_sampler)
    val_loader = DataLoader(val_set, 256, sampler=DistributedSampler(val_set, shuffle=False))

    model = DDP(ChurnNet(train_set.tensors[0].shape[1]))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    loss_fn = nn.BCEWithLogitsLoss()
    stopper = EarlyStopping(args.patience)

    for epoch in range(args.epochs):
        train_sampler.set_epoch(epoch)
        train_loss = run_epoch(model, train_loader, loss_fn, opt)
        val_loss = run_validation(model, val_loader, loss_fn)
        if rank == 0:
            print(f"epoch {epoch:02d} train {train_loss:.4f} val {val_loss:.4f}", flush=True)
        if stopper.step(val_loss):
            print(f"rank {rank}: no improvement for {args.patience} epochs, stopping", flush=True)
            break

    summary = torch.tensor([stopper.best])
    dist.all_reduce(summary, op=dist.ReduceOp.SUM)
    if rank == 0:
        print(f"mean best val loss {summary.item() / dist.get_world_size():.4f}")
        torch.save(model.module.state_dict(), "churn.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
