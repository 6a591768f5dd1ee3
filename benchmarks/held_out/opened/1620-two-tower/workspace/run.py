import argparse

import torch
import torch.nn.functional as F
from loguru import logger
from torch.utils.data import DataLoader, random_split

from twotower.events import ListeningEvents
from twotower.optimize import make_optimizer
from twotower.towers import TwoTower


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--batch-size", type=int, default=256)
    p.add_argument("--dim", type=int, default=32)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--warmup", type=float, default=0.2)
    p.add_argument("--weight-decay", type=float, default=0.01)
    p.add_argument("--top-k", type=int, default=20)
    p.add_argument("--seed", type=int, default=13)
    return p.parse_args()


@torch.no_grad()
def recall(model, loader, k, n_tracks):
    model.eval()
    catalogue = model.encode_track(torch.arange(1, n_tracks + 1))
    hits = total = 0
    for users, context, target in loader:
        top = (model.encode_query(users, context) @ catalogue.T).topk(k, dim=1).indices + 1
        hits += (top == target[:, None]).any(1).sum().item()
        total += len(target)
    return hits / total


def train_epoch(model, loader, optimizer, scheduler):
    model.train()
    running = 0.0
    for users, context, target in loader:
        scores = model(users, context, target)
        loss = F.cross_entropy(scores, torch.arange(len(target)))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        running += loss.item()
    return running / len(loader)


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    events = ListeningEvents(seed=args.seed)
    train_set, test_set = random_split(events, [0.9, 0.1])
    train_loader = DataLoader(train_set, args.batch_size, shuffle=True)
    test_loader = DataLoader(test_set, args.batch_size)

    model = TwoTower(events.n_users, events.n_tracks, args.dim)
    optimizer, scheduler = make_optimizer(model, len(train_set), args)
    logger.info("{} training events, {} test events", len(train_set), len(test_set))
    for epoch in range(args.epochs):
        loss = train_epoch(model, train_loader, optimizer, scheduler)
        score = recall(model, test_loader, args.top_k, events.n_tracks)
        logger.info("epoch {} loss {:.3f} recall@{} {:.3f} lr {:.2e}", epoch, loss, args.top_k, score,
                    scheduler.get_last_lr()[0])


if __name__ == "__main__":
    main()
