import json
import sys

import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from asr.data import BLANK, SYMBOLS, DigitDataset, collate
from asr.features import LogMel
from asr.metrics import cer, greedy_decode
from asr.model import CTCModel
from asr.synth import make_corpus


def run_epoch(model, loader, ctc, opt=None, clip=None):
    model.train(opt is not None)
    total, hyps, refs = 0.0, [], []
    for feats, feat_lens, targets, target_lens in loader:
        with torch.set_grad_enabled(opt is not None):
            log_probs, out_lens = model(feats, feat_lens)
            loss = ctc(log_probs.transpose(0, 1), targets, out_lens, target_lens)
        if opt is not None:
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), clip)
            opt.step()
        else:
            hyps += greedy_decode(log_probs, out_lens, SYMBOLS, BLANK)
            refs += ["".join(SYMBOLS[i] for i in t[:n]) for t, n in zip(targets.tolist(), target_lens.tolist())]
        total += loss.item()
    return total / len(loader), hyps, refs


def main(conf_path="conf.json"):
    with open(conf_path) as f:
        conf = json.load(f)
    torch.manual_seed(conf["seed"])
    extractor = LogMel(**conf["features"])
    sr = conf["features"]["sample_rate"]
    train_set = DigitDataset(make_corpus(conf["data"]["n_train"], conf["data"], sr, seed=1), extractor)
    dev_set = DigitDataset(make_corpus(conf["data"]["n_dev"], conf["data"], sr, seed=2), extractor)
    bs = conf["data"]["batch_size"]
    train_loader = DataLoader(train_set, bs, shuffle=True, collate_fn=collate)
    dev_loader = DataLoader(dev_set, bs, collate_fn=collate)
    print(f"train {len(train_set)} utts, dev {len(dev_set)} utts, {len(SYMBOLS)} symbols")

    model = CTCModel(conf["features"]["n_mels"], len(SYMBOLS), **conf["model"])
    print(f"model: {sum(p.numel() for p in model.parameters()) / 1e3:.1f}k params, subsampling {model.subsampling}x")
    ctc = nn.CTCLoss(blank=BLANK, zero_infinity=True)
    opt = torch.optim.Adam(model.parameters(), lr=conf["optim"]["lr"])
    for epoch in range(1, conf["optim"]["epochs"] + 1):
        tr, _, _ = run_epoch(model, train_loader, ctc, opt, conf["optim"]["clip"])
        dv, hyps, refs = run_epoch(model, dev_loader, ctc)
        print(f"epoch {epoch:2d} | train ctc {tr:.3f} | dev ctc {dv:.3f} | dev CER {100 * cer(hyps, refs):.1f}%  ({refs[0]} -> {hyps[0]})")


if __name__ == "__main__":
    main(*sys.argv[1:])
