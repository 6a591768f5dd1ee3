import argparse
import json
import random

import torch
from torch.utils.data import DataLoader

from router.model import BagClassifier
from router.text import Tickets, Vocab, bag_collate, load_records
from router.trainer import Trainer

p = argparse.ArgumentParser()
p.add_argument("--tickets", default="data/tickets.jsonl")
p.add_argument("--queues", default="data/queues.json")
p.add_argument("--dim", type=int, default=32)
p.add_argument("--epochs", type=int, default=6)
p.add_argument("--lr", type=float, default=5e-3)
args = p.parse_args()

torch.manual_seed(0)
records = load_records(args.tickets)
random.Random(0).shuffle(records)
cut = int(0.8 * len(records))
train_records, valid_records = records[:cut], records[cut:]
with open(args.queues) as fh:
    queue_ids = json.load(fh)

vocab = Vocab(r["subject"] for r in train_records)
train_loader = DataLoader(Tickets(train_records, vocab, queue_ids), 32, shuffle=True, collate_fn=bag_collate)
valid_loader = DataLoader(Tickets(valid_records, vocab, queue_ids), 64, collate_fn=bag_collate)
print(f"{len(train_records)} train, {len(valid_records)} valid, vocabulary {len(vocab)}, queues {list(queue_ids)}")

model = BagClassifier(len(vocab), args.dim, num_classes=len(queue_ids))
trainer = Trainer(model, {i: q for q, i in queue_ids.items()}, lr=args.lr)
trainer.fit(train_loader, valid_loader, args.epochs)
for text in ("my wifi is slow and the vpn drops", "please send the invoice again"):
    print(text, "->", trainer.predict(vocab.encode(text)))
