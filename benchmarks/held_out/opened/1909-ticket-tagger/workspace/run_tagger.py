import argparse

import torch
import yaml
from torch.utils.data import DataLoader

from tagger import Tagger
from tickets import collate, load


def micro_f1(model, dl, thr):
    model.eval()
    tp = fp = fn = 0
    with torch.no_grad():
        for x, n, y in dl:
            p = model(x, n).sigmoid() > thr
            t = y.bool()
            tp += (p & t).sum().item()
            fp += (p & ~t).sum().item()
            fn += (~p & t).sum().item()
    return 2 * tp / max(1, 2 * tp + fp + fn)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("-c", "--conf", default="conf/tagger.yaml")
    with open(ap.parse_args().conf) as f:
        cfg = yaml.safe_load(f)
    torch.manual_seed(0)
    torch.set_num_threads(1)

    train, valid, vocab = load(cfg)
    print(len(train), "train tickets,", len(valid), "valid tickets,", len(vocab), "words")
    dl = DataLoader(train, cfg["batch"], shuffle=True, collate_fn=collate)
    dl_valid = DataLoader(valid, 32, collate_fn=collate)
    model = Tagger(len(vocab) + 2, len(cfg["tags"]), cfg["emb"], cfg["hidden"])
    crit = torch.nn.BCEWithLogitsLoss()
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])

    for e in range(cfg["epochs"]):
        model.train()
        tot = 0
        for x, n, y in dl:
            opt.zero_grad()
            l = crit(model(x, n), y)
            l.backward()
            opt.step()
            tot += l.item()
        print("epoch", e, "bce %.4f" % (tot / len(dl)), "valid F1 %.3f" % micro_f1(model, dl_valid, cfg["threshold"]))


main()
