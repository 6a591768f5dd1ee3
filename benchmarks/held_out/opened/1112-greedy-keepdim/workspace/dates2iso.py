#!/usr/bin/env python3
"""Character seq2seq: "12 march 1987" -> "1987-03-12" with nn.Transformer."""
import datetime as dt
import math
import random
import sys
from functools import partial

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD, BOS, EOS = 0, 1, 2
FORMATS = ["%d %B %Y", "%d.%m.%Y", "%b %d, %Y", "%A %d %B %Y", "%m/%d/%y"]


class CharCodec:
    def __init__(self, chars):
        self.chars = ["<pad>", "<s>", "</s>"] + sorted(set(chars))
        self.ids = {c: i for i, c in enumerate(self.chars)}

    def __len__(self):
        return len(self.chars)

    def encode(self, s, wrap=False):
        ids = [self.ids[c] for c in s]
        return torch.tensor([BOS] + ids + [EOS] if wrap else ids)

    def decode(self, ids):
        out = []
        for i in ids:
            if i == EOS:
                break
            if i > EOS:
                out.append(self.chars[i])
        return "".join(out)


def make_pairs(n, rng):
    start = dt.date(1960, 1, 1)
    pairs = []
    for _ in range(n):
        day = start + dt.timedelta(days=rng.randrange(25000))
        pairs.append((day.strftime(rng.choice(FORMATS)).lower(), day.isoformat()))
    return pairs


def collate(pairs, src_codec, tgt_codec):
    src = pad_sequence([src_codec.encode(s) for s, _ in pairs], batch_first=True, padding_value=PAD)
    tgt = pad_sequence([tgt_codec.encode(t, wrap=True) for _, t in pairs], batch_first=True, padding_value=PAD)
    return src, tgt


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=64, p=0.1):
        super().__init__()
        self.drop = nn.Dropout(p)
        pos = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(pos * div)
        pe[0, :, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return self.drop(x + self.pe[:, : x.size(1)])


class Seq2Seq(nn.Module):
    def __init__(self, n_src, n_tgt, d_model=48, nhead=4, layers=1, ff=96):
        super().__init__()
        self.scale = math.sqrt(d_model)
        self.src_emb = nn.Embedding(n_src, d_model, padding_idx=PAD)
        self.tgt_emb = nn.Embedding(n_tgt, d_model, padding_idx=PAD)
        self.pos = PositionalEncoding(d_model)
        self.transformer = nn.Transformer(d_model, nhead, layers, layers, ff, dropout=0.1, batch_first=True)
        self.generator = nn.Linear(d_model, n_tgt)

    def encode(self, src):
        pad = src == PAD
        memory = self.transformer.encoder(self.pos(self.src_emb(src) * self.scale), src_key_padding_mask=pad)
        return memory, pad

    def decode(self, tgt, memory, memory_pad):
        mask = torch.triu(torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool), diagonal=1)
        h = self.transformer.decoder(
            self.pos(self.tgt_emb(tgt) * self.scale), memory, tgt_mask=mask,
            tgt_key_padding_mask=tgt == PAD, memory_key_padding_mask=memory_pad)
        return self.generator(h)

    def forward(self, src, tgt):
        return self.decode(tgt, *self.encode(src))


@torch.no_grad()
def greedy(model, src, max_len=12):
    model.eval()
    memory, pad = model.encode(src)
    ys = torch.full((src.size(0), 1), BOS)
    for _ in range(max_len):
        logits = model.decode(ys, memory, pad)[:, -1]
        ys = torch.cat([ys, logits.argmax(-1)], dim=1)
        if (ys == EOS).any(1).all():
            break
    return ys


class NoamLR(torch.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer, d_model, warmup):
        self.d_model, self.warmup = d_model, warmup
        super().__init__(optimizer)

    def get_lr(self):
        s = max(self.last_epoch, 1)
        f = self.d_model ** -0.5 * min(s ** -0.5, s * self.warmup ** -1.5)
        return [base * f for base in self.base_lrs]


def main(epochs=3):
    torch.manual_seed(0)
    rng = random.Random(0)
    train, test = make_pairs(1200, rng), make_pairs(64, rng)
    src_codec = CharCodec("".join(s for s, _ in train + test))
    tgt_codec = CharCodec("0123456789-")
    cf = partial(collate, src_codec=src_codec, tgt_codec=tgt_codec)
    loader = DataLoader(train, 48, shuffle=True, collate_fn=cf)
    model = Seq2Seq(len(src_codec), len(tgt_codec))
    opt = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    sched = NoamLR(opt, d_model=48, warmup=60)
    loss_fn = nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=0.1)
    src_test, tgt_test = cf(test)
    for epoch in range(1, epochs + 1):
        model.train()
        seen = 0.0
        for src, tgt in loader:
            logits = model(src, tgt[:, :-1])
            loss = loss_fn(logits.transpose(1, 2), tgt[:, 1:])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            seen += loss.item()
        hyp = [tgt_codec.decode(row) for row in greedy(model, src_test).tolist()]
        ref = [t for _, t in test]
        char_acc = sum(a == b for h, r in zip(hyp, ref) for a, b in zip(h, r)) / sum(map(len, ref))
        print(f"epoch {epoch} loss {seen / len(loader):.3f} char acc {char_acc:.3f}  {test[0][0]!r} -> {hyp[0]!r}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
