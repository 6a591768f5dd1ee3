import argparse
import random

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from model import TicketRouter
from utils import Vocab, make_collate, read_jsonl


def build_parser():
    ap = argparse.ArgumentParser()
    ap.add_argument("--tickets", default="data/tickets.jsonl")
    ap.add_argument("--vocab", default="data/vocab.json")
    ap.add_argument("--max-len", type=int, default=20)
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--batch-size", type=int, default=25)
    ap.add_argument("--lr", type=float, default=0.01)
    ap.add_argument("--seed", type=int, default=17)
    return ap


def main(args):
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    rows = read_jsonl(args.tickets)
    queues = sorted({r["queue"] for r in rows})
    random.shuffle(rows)
    n_test = len(rows) // 5
    test, train = rows[:n_test], rows[n_test:]

    vocab = Vocab(args.vocab, args.max_len)
    print(f"{len(train)} train tickets, {len(test)} test tickets, queues: {', '.join(queues)}")
    collate = make_collate(vocab, queues)
    train_dl = DataLoader(train, args.batch_size, shuffle=True, collate_fn=collate)
    test_dl = DataLoader(test, args.batch_size, collate_fn=collate)

    model = TicketRouter(vocab.size, len(queues))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(1, args.epochs + 1):
        model.train()
        total = 0.0
        for ids, priority, target in train_dl:
            loss = F.cross_entropy(model(ids, priority), target)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            hits = sum((model(i, p).argmax(1) == t).sum().item() for i, p, t in test_dl)
        print(f"epoch {epoch}: loss {total / len(train_dl):.3f}, test accuracy {hits / len(test):.3f}")


if __name__ == "__main__":
    main(build_parser().parse_args())
