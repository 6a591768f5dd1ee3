import argparse
import logging

import torch
from torch import nn
from torch.utils.data import DataLoader

from encoder import Encoder, greedy
from tones import BLANK, SYMBOLS, DialTones, collate

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("dial")


class Trainer:
    def __init__(self, model, lr, clip):
        self.model = model
        self.criterion = nn.CTCLoss(blank=BLANK, zero_infinity=True)
        self.optim = torch.optim.AdamW(model.parameters(), lr=lr)
        self.clip = clip

    def loss(self, batch):
        log_probs, lens = self.model(batch["feats"], batch["feat_lens"])
        return self.criterion(log_probs.transpose(0, 1), batch["targets"], lens, batch["target_lens"])

    def epoch(self, loader):
        self.model.train()
        total = 0.0
        for batch in loader:
            loss = self.loss(batch)
            self.optim.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
            self.optim.step()
            total += loss.item()
        return total / len(loader)

    @torch.no_grad()
    def exact_match(self, loader):
        self.model.eval()
        hits = n = 0
        for batch in loader:
            log_probs, lens = self.model(batch["feats"], batch["feat_lens"])
            refs = [t.tolist() for t in batch["targets"].split(batch["target_lens"].tolist())]
            for hyp, ref in zip(greedy(log_probs, lens), refs):
                hits += hyp == "".join(SYMBOLS[i - 1] for i in ref)
                n += 1
        return hits / n


def main():
    ap = argparse.ArgumentParser(description="Digit string recognition from dial tones")
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--batch-size", type=int, default=16)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--clip", type=float, default=5.0)
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    train = DataLoader(DialTones(320, args.seed), args.batch_size, shuffle=True, collate_fn=collate)
    dev = DataLoader(DialTones(64, args.seed + 100), args.batch_size, collate_fn=collate)
    trainer = Trainer(Encoder(), args.lr, args.clip)
    log.info("train %d clips, dev %d clips", len(train.dataset), len(dev.dataset))
    for epoch in range(args.epochs):
        loss = trainer.epoch(train)
        log.info("epoch %d loss %.3f exact %.3f", epoch, loss, trainer.exact_match(dev))


if __name__ == "__main__":
    main()
