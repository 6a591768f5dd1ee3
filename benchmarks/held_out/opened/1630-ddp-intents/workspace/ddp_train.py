import argparse
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from intents.data import INTENTS, RequestDataset, build_vocab, collate, read_records
from intents.model import IntentClassifier


def shard(records, rank, world_size):
    """Contiguous share of the records, same length on every rank."""
    size = len(records) // world_size
    return records[rank * size : (rank + 1) * size]


def reduce_mean(value):
    t = torch.tensor(float(value))
    dist.all_reduce(t)
    return (t / dist.get_world_size()).item()


def train(model, loader, args, rank):
    ddp = DistributedDataParallel(model)
    opt = torch.optim.Adam(ddp.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        total, hits, count = 0.0, 0, 0
        for ids, labels in loader:
            logits = ddp(ids)
            loss = F.cross_entropy(logits, labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            hits += (logits.argmax(-1) == labels).sum().item()
            count += len(labels)
        mean_loss = reduce_mean(total / len(loader))
        mean_acc = reduce_mean(hits / count)
        if rank == 0:
            print(f"epoch {epoch} loss {mean_loss:.3f} acc {mean_acc:.3f}", flush=True)


def worker(rank, args):
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", str(args.port))
    dist.init_process_group("gloo", rank=rank, world_size=args.world_size)
    torch.manual_seed(args.seed)

    records = shard(read_records(args.data), rank, args.world_size)
    vocab = build_vocab(records)
    dataset = RequestDataset(records, vocab)
    loader = DataLoader(dataset, args.batch_size, shuffle=True, collate_fn=collate)
    print(f"[rank {rank}] {len(dataset)} requests, {len(loader)} batches", flush=True)

    model = IntentClassifier(len(vocab), len(INTENTS))
    train(model, loader, args, rank)
    if rank == 0:
        torch.save({"model": model.state_dict(), "vocab": vocab}, args.out)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="requests")
    parser.add_argument("--world-size", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=25)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--port", type=int, default=29671)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="intents.pt")
    args = parser.parse_args()
    mp.spawn(worker, args=(args,), nprocs=args.world_size)
