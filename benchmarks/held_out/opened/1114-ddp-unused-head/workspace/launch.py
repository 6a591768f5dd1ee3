"""Multi-task regression/classification with DistributedDataParallel on gloo (two CPU processes)."""
import argparse
import os
import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from tasks import MultiTaskNet, SensorDataset, multitask_loss


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def reduce_mean(value):
    t = torch.tensor(float(value))
    dist.all_reduce(t)
    return (t / dist.get_world_size()).item()


def evaluate(model, dataset):
    loader = DataLoader(dataset, batch_size=64)
    model.eval()
    hits = err = n = 0
    with torch.no_grad():
        for x, state, wear in loader:
            logits, wear_hat = model(x)
            hits += (logits.argmax(1) == state).sum().item()
            err += (wear_hat - wear).abs().sum().item()
            n += len(x)
    return hits / n, err / n


def worker(rank, args):
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ["MASTER_PORT"] = str(args.port)
    dist.init_process_group("gloo", rank=rank, world_size=args.nproc)
    torch.manual_seed(100)
    train_set, test_set = SensorDataset(512, seed=0), SensorDataset(128, seed=1)
    sampler = DistributedSampler(train_set, shuffle=True, drop_last=True)
    loader = DataLoader(train_set, batch_size=args.batch_size, sampler=sampler)

    model = DDP(MultiTaskNet(train_set.n_channels, train_set.n_states))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr * args.nproc, momentum=0.9)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        model.train()
        total = 0.0
        for x, state, wear in loader:
            outputs = model(x)
            loss = multitask_loss(outputs, state, wear)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        mean_loss = reduce_mean(total / len(loader))
        if rank == 0:
            acc, mae = evaluate(model.module, test_set)
            print(f"epoch {epoch}: loss {mean_loss:.4f}  state acc {acc:.3f}  wear MAE {mae:.3f}", flush=True)
        dist.barrier()

    if rank == 0:
        torch.save(model.module.state_dict(), args.save)
    dist.barrier()
    restored = MultiTaskNet(train_set.n_channels, train_set.n_states)
    restored.load_state_dict(torch.load(args.save, weights_only=True))
    gathered = [None] * args.nproc
    dist.all_gather_object(gathered, (rank, evaluate(restored, test_set)))
    if rank == 0:
        assert len({r[1] for r in gathered}) == 1
        print("all ranks agree on the restored model", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--nproc", type=int, default=2)
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--batch-size", type=int, default=16)
    ap.add_argument("--lr", type=float, default=0.01)
    ap.add_argument("--save", default="multitask.pt")
    args = ap.parse_args()
    args.port = free_port()
    mp.start_processes(worker, args=(args,), nprocs=args.nproc, join=True, start_method="fork")
