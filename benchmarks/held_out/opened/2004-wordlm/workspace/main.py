import math
import time

import torch
import torch.nn as nn

import settings as S
from corpus import build
from rnn import RNNModel, repackage_hidden

criterion = nn.CrossEntropyLoss()


def evaluate(model, loader):
    model.eval()
    hidden = model.init_hidden(S.BATCH_SIZE)
    total = 0.0
    with torch.no_grad():
        for tokens, targets in loader:
            logits, hidden = model(tokens, hidden)
            total += criterion(logits.flatten(0, 1), targets.reshape(-1)).item()
    return total / len(loader)


def train_epoch(model, loader, optimizer, epoch):
    model.train()
    hidden = model.init_hidden(S.BATCH_SIZE)
    total, start = 0.0, time.time()
    for batch, (tokens, targets) in enumerate(loader, 1):
        hidden = repackage_hidden(hidden)
        logits, hidden = model(tokens, hidden)
        loss = criterion(logits.flatten(0, 1), targets.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), S.CLIP)
        optimizer.step()
        total += loss.item()
        if batch % S.LOG_INTERVAL == 0:
            cur = total / S.LOG_INTERVAL
            ms = (time.time() - start) * 1000 / S.LOG_INTERVAL
            print(f"| epoch {epoch:2d} | {batch:3d}/{len(loader):3d} batches | ms/batch {ms:6.2f} "
                  f"| loss {cur:5.2f} | ppl {math.exp(cur):8.2f}")
            total, start = 0.0, time.time()


def main():
    torch.manual_seed(S.SEED)
    dictionary, train_loader, valid_loader = build(
        S.TEXT_DIR, S.MIN_COUNT, S.BPTT, S.BATCH_SIZE, S.EVAL_BATCH_SIZE)
    print(f"{len(dictionary)} words, {train_loader.rows.numel()} training tokens, "
          f"{valid_loader.rows.numel()} validation tokens")
    model = RNNModel(len(dictionary), S.EMBED_DIM, S.HIDDEN_DIM, S.NUM_LAYERS, S.DROPOUT, S.TIE_WEIGHTS)
    optimizer = torch.optim.Adam(model.parameters(), lr=S.LEARNING_RATE)
    for epoch in range(1, S.EPOCHS + 1):
        train_epoch(model, train_loader, optimizer, epoch)
        val = evaluate(model, valid_loader)
        print("-" * 72)
        print(f"| end of epoch {epoch} | valid loss {val:.3f} | valid ppl {math.exp(val):.2f}")
        print("-" * 72)


if __name__ == "__main__":
    main()
