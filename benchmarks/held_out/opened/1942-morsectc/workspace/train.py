import sys

import torch
import yaml
from torch import nn
from torch.utils.data import DataLoader

from acoustic import ConvGRU
from batching import BucketSampler
from morse import ALPHABET, MorseSet, collate


def greedy(logp, n):
    ids = torch.unique_consecutive(logp[:n].argmax(-1))
    return "".join(ALPHABET[i - 1] for i in ids.tolist() if i)


@torch.no_grad()
def exact_match(model, loader):
    model.eval()
    right = total = 0
    for wave, lengths, _, _, texts in loader:
        logp, frames = model(wave, lengths)
        for lp, n, t in zip(logp, frames, texts):
            right += greedy(lp, n) == t
            total += 1
    return right / total


def main():
    cfg = yaml.safe_load(open(sys.argv[1]))
    d, t = cfg["data"], cfg["train"]
    torch.manual_seed(t["seed"])
    train_set, valid_set = MorseSet(d, d["n_train"], 1), MorseSet(d, d["n_valid"], 2)
    sampler = BucketSampler(train_set.lengths(), d["batch_size"], d["bucket"], t["seed"])
    train_loader = DataLoader(train_set, batch_sampler=sampler, collate_fn=collate)
    valid_loader = DataLoader(valid_set, d["batch_size"], collate_fn=collate)

    model = ConvGRU(cfg["model"], len(ALPHABET) + 1)
    ctc = nn.CTCLoss(zero_infinity=True)
    opt = torch.optim.Adam(model.parameters(), lr=t["lr"])
    for epoch in range(t["epochs"]):
        model.train()
        total = 0.0
        for wave, lengths, targets, target_lengths, _ in train_loader:
            logp, frames = model(wave, lengths)
            loss = ctc(logp.transpose(0, 1), targets, frames, target_lengths)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), t["clip"])
            opt.step()
            total += loss.item()
        print(f"epoch {epoch}: ctc {total / len(train_loader):.3f} "
              f"exact {exact_match(model, valid_loader):.3f}")


if __name__ == "__main__":
    main()
