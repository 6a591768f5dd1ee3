import json
import random

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from corpus import build
from encoder import Encoder
from features import LogMel

BLANK = 0


def collate(items):
    feats = [torch.from_numpy(f) for f, _ in items]
    labels = [torch.tensor([d + 1 for d in y]) for _, y in items]
    return (pad_sequence(feats, batch_first=True),
            torch.tensor([len(f) for f in feats]),
            torch.cat(labels),
            torch.tensor([len(y) for y in labels]))


def batches(data, size, shuffle):
    order = list(range(len(data)))
    if shuffle:
        random.shuffle(order)
    for i in range(0, len(order), size):
        yield collate([data[j] for j in order[i:i + size]])


def greedy(logp, n):
    best = logp[:n].argmax(-1).tolist()
    out, prev = [], BLANK
    for s in best:
        if s != prev and s != BLANK:
            out.append(s - 1)
        prev = s
    return out


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (x != y))
    return row[-1]


def digit_error_rate(model, data):
    model.eval()
    wrong = total = 0
    with torch.no_grad():
        for f, y in data:
            lp = model(torch.from_numpy(f)[None])[0]
            n = int(model.lengths(torch.tensor([len(f)]))[0])
            wrong += edit_distance(greedy(lp, n), y)
            total += len(y)
    return wrong / total


def main():
    torch.set_num_threads(1)
    conf = json.load(open("conf.json"))
    tc = conf["train"]
    random.seed(tc["seed"])
    np.random.seed(tc["seed"])
    torch.manual_seed(tc["seed"])

    logmel = LogMel(conf)
    train = [(logmel(w), y) for w, y in build(tc["utts"], conf["sample_rate"], 1)]
    dev = [(logmel(w), y) for w, y in build(tc["dev_utts"], conf["sample_rate"], 2)]
    print(f"{len(train)} training utterances, mean {np.mean([len(f) for f, _ in train]):.0f} frames")

    model = Encoder(conf["n_mels"], n_symbols=11, **conf["encoder"])
    ctc = nn.CTCLoss(blank=BLANK)
    opt = torch.optim.Adam(model.parameters(), lr=tc["lr"])

    for epoch in range(1, tc["epochs"] + 1):
        model.train()
        losses = []
        for x, x_len, y, y_len in batches(train, tc["batch"], shuffle=True):
            logp = model(x)
            loss = ctc(logp.transpose(0, 1), y, model.lengths(x_len), y_len)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch:2d}  ctc {np.mean(losses):.3f}  dev DER {digit_error_rate(model, dev):.3f}")


if __name__ == "__main__":
    main()
