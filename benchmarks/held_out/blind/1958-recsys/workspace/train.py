import argparse
import json
import os
import random

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from data import NextItem, Vocab, load_sequences
from model import SeqRec


def evaluate(net, dl, k):
    net.eval()
    hits, ndcg, n = 0, 0.0, 0
    with torch.no_grad():
        for user, hist, pos, _ in dl:
            sc = net.score_all(user, hist)
            sc[:, 0] = -1e9
            # do not recommend what was already seen
            sc.scatter_(1, hist, -1e9)
            rank = (sc > sc.gather(1, pos[:, None])).sum(1)
            hit = rank < k
            hits += hit.sum().item()
            ndcg += (hit / torch.log2(rank.float() + 2)).sum().item()
            n += len(pos)
    return hits / n, ndcg / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--conf", default="conf.json")
    ap.add_argument("--out", default="runs/default")
    a = ap.parse_args()
    conf = json.load(open(a.conf))
    os.makedirs(a.out, exist_ok=True)

    random.seed(conf["seed"]); np.random.seed(conf["seed"]); torch.manual_seed(conf["seed"])

    vocab = Vocab(os.path.join(conf["cache_dir"], "vocab.json"))
    print("items", vocab.n_items, "users", vocab.n_users)
    seqs = load_sequences(conf, vocab)
    print("sequences", len(seqs), "mean len %.1f" % np.mean([len(s) for _, s in seqs]))

    tr = DataLoader(NextItem(seqs, conf, vocab.n_items), batch_size=conf["batch_size"], shuffle=True)
    va = DataLoader(NextItem(seqs, conf, vocab.n_items, "valid"), batch_size=256)
    te = DataLoader(NextItem(seqs, conf, vocab.n_items, "test"), batch_size=256)

    net = SeqRec(vocab.n_users, vocab.n_items, conf["dim"], conf["dropout"])
    opt = torch.optim.Adam(net.parameters(), lr=conf["lr"], weight_decay=conf["wd"])
    best = -1
    for ep in range(conf["epochs"]):
        net.train()
        tot = 0
        for user, hist, pos, negs in tr:
            cand = torch.cat([pos[:, None], negs], dim=1)
            logits = net(user, hist, cand)
            loss = F.cross_entropy(logits, torch.zeros(len(pos), dtype=torch.long))
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(pos)
        hr, nd = evaluate(net, va, conf["topk"])
        print(f"ep {ep} loss {tot / len(tr.dataset):.4f} HR@{conf['topk']} {hr:.3f} NDCG {nd:.3f}")
        if nd > best:
            best = nd
            torch.save(net.state_dict(), os.path.join(a.out, "best.pt"))
    net.load_state_dict(torch.load(os.path.join(a.out, "best.pt")))
    hr, nd = evaluate(net, te, conf["topk"])
    print(f"TEST HR {hr:.3f} NDCG {nd:.3f}")
    json.dump({"hr": hr, "ndcg": nd}, open(os.path.join(a.out, "test.json"), "w"))


if __name__ == "__main__":
    main()
