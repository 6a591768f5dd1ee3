"""Keyword spotting on a handful of recorded clips."""
import json
import sys

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from dataset import KeywordClips
from model import KeywordNet


def accuracy(model, loader):
    model.eval()
    hits = n = 0
    with torch.no_grad():
        for wave, word in loader:
            hits += (model(wave).argmax(1) == word).sum().item()
            n += len(word)
    return hits / n


def main(path="params.json"):
    with open(path) as f:
        params = json.load(f)
    cfg = params["train"]
    torch.manual_seed(cfg["seed"])
    train_set = KeywordClips(".", "train", params, train=True)
    test_set = KeywordClips(".", "test", params)
    print(f"train: {len(train_set.items)} clips x{train_set.copies}, test: {len(test_set)} clips")
    train_loader = DataLoader(train_set, cfg["batch_size"], shuffle=True)
    test_loader = DataLoader(test_set, cfg["batch_size"])

    model = KeywordNet(params)
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        model.train()
        losses = []
        for wave, word in train_loader:
            loss = F.cross_entropy(model(wave), word)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}/{cfg['epochs']}  loss {sum(losses) / len(losses):.3f}  "
              f"test acc {accuracy(model, test_loader):.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
