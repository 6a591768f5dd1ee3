import json
import random
import sys

import torch
import torch.nn.functional as F

from src.batching import Indexer, make_batches
from src.bilstm import BiLSTMTagger
from src.conll import read_sentences
from src.spans import bio_spans, f1

cfg = json.load(open(sys.argv[1]))
random.seed(cfg["seed"])
torch.manual_seed(cfg["seed"])

train = read_sentences(cfg["train"])
dev = read_sentences(cfg["dev"])
ix = Indexer(train, cfg["tags"])
print(f"{len(train)} train / {len(dev)} dev sentences, {ix.n_words} words")

model = BiLSTMTagger(ix.n_words, len(cfg["tags"]), cfg["word_dim"], cfg["hidden"])
optim = torch.optim.Adam(model.parameters(), lr=cfg["lr"])


def evaluate():
    model.eval()
    gold, pred = [], []
    with torch.no_grad():
        for words, caps, lengths, y in make_batches(dev, ix, cfg["batch"]):
            best = model(words, caps, lengths).argmax(-1)
            for n, g, p in zip(lengths.tolist(), y, best):
                gold.append(bio_spans(ix.id2tag[i] for i in g[:n].tolist()))
                pred.append(bio_spans(ix.id2tag[i] for i in p[:n].tolist()))
    return f1(gold, pred)


for epoch in range(1, cfg["epochs"] + 1):
    model.train()
    total = 0.0
    for words, caps, lengths, y in make_batches(train, ix, cfg["batch"], shuffle=True):
        scores = model(words, caps, lengths)
        loss = F.cross_entropy(scores.reshape(-1, scores.size(-1)), y.reshape(-1), ignore_index=-100)
        optim.zero_grad()
        loss.backward()
        optim.step()
        total += loss.item()
    print(f"epoch {epoch}: loss {total:.3f}, dev F1 {evaluate():.3f}")
