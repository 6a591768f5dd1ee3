import argparse
import math
import time

import torch
import torch.nn as nn

from lm_model import CharLSTM
from lm_utils import Corpus, batchify, get_batch, repackage_hidden

parser = argparse.ArgumentParser(description="character LSTM language model")
parser.add_argument("--data", default="sea.txt")
parser.add_argument("--bptt", type=int, default=35)
parser.add_argument("--batch-size", type=int, default=16)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--clip", type=float, default=0.5)
parser.add_argument("--seed", type=int, default=1111)
args = parser.parse_args()

torch.manual_seed(args.seed)
corpus = Corpus(args.data)
train_data = batchify(corpus.train, args.batch_size)
valid_data = batchify(corpus.valid, 4)
model = CharLSTM(len(corpus))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
print(f"{len(corpus)} characters, train {tuple(train_data.shape)}, valid {tuple(valid_data.shape)}")


def evaluate(source):
    model.eval()
    total, steps = 0.0, 0
    state = model.init_state(source.size(0))
    with torch.no_grad():
        for i in range(0, source.size(1) - 1, args.bptt):
            x, y = get_batch(source, i, args.bptt)
            logits, state = model(x, state)
            total += criterion(logits.flatten(0, 1), y.flatten()).item() * x.size(1)
            steps += x.size(1)
    return total / steps


def train_epoch():
    model.train()
    total, chunks = 0.0, 0
    state = model.init_state(args.batch_size)
    for i in range(0, train_data.size(1) - 1, args.bptt):
        x, y = get_batch(train_data, i, args.bptt)
        state = repackage_hidden(state)
        optimizer.zero_grad()
        logits, state = model(x, state)
        loss = criterion(logits.flatten(0, 1), y.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
        total, chunks = total + loss.item(), chunks + 1
    return total / chunks


for epoch in range(1, args.epochs + 1):
    t0 = time.time()
    tr = train_epoch()
    va = evaluate(valid_data)
    print(f"| epoch {epoch} | {time.time() - t0:4.1f}s | train {tr:.3f} | valid {va:.3f} | ppl {math.exp(va):6.2f}")
print(model.generate(corpus, "the old "))
