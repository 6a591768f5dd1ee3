#!/usr/bin/env python
import sys

import torch
import torch.nn.functional as F

from lm import CharTransformer, CharVocab
from lm.batches import BatchSampler, split_stream
from lm.checkpoint import restore, save_best
from lm.settings import Settings


def lr_at(step, s):
    if step < s.warmup:
        return (step + 1) / s.warmup
    return 1.0


def loss_on(model, batch):
    x, y = batch
    logits = model(x)
    return F.cross_entropy(logits.flatten(0, 1), y.flatten())


def main(path):
    s = Settings.from_yaml(path)
    torch.manual_seed(s.seed)
    text = open(s.corpus).read()
    vocab = CharVocab(text)
    stream = torch.tensor(vocab.encode(text))
    train_stream, val_stream = split_stream(stream)
    train = BatchSampler(train_stream, s.block_size, s.batch_size)
    val = BatchSampler(val_stream, s.block_size, s.batch_size, torch.Generator().manual_seed(0))
    print(f"{len(stream)} characters, {len(vocab)} distinct")

    model = CharTransformer(len(vocab), s.block_size, s.d_model, s.n_heads, s.n_layers, s.dropout)
    opt = torch.optim.AdamW(model.parameters(), lr=s.lr, betas=tuple(s.betas), weight_decay=s.weight_decay)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: lr_at(step, s))

    best, best_path = float("inf"), None
    for step in range(1, s.steps + 1):
        model.train()
        loss = loss_on(model, train.draw())
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        if step % s.eval_every == 0:
            model.eval()
            with torch.no_grad():
                val_loss = sum(loss_on(model, val.draw()).item() for _ in range(4)) / 4
            print(f"step {step:4d} train {loss.item():.3f} val {val_loss:.3f}")
            if val_loss < best:
                best = val_loss
                best_path = save_best(model, s, step, val_loss)

    step, val_loss = restore(model, best_path)
    print(f"restored step {step} ({val_loss:.3f})")
    prompt = torch.tensor([vocab.encode("the old ")])
    print(vocab.decode(model.continue_text(prompt, 60, 0.8)[0].tolist()))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "conf/base.yaml")
