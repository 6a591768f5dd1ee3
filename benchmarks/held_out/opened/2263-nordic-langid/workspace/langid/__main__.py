import random
import sys

import torch
import torch.nn.functional as F
import yaml
from torch.utils.data import DataLoader

from .corpus import Alphabet, Sentences, read_corpus
from .model import CharCNN


def main(config_path="langid.yaml"):
    with open(config_path, encoding="utf-8") as fh:
        cfg = yaml.safe_load(fh)
    random.seed(0)
    torch.manual_seed(0)

    languages = cfg["languages"]
    pairs = read_corpus(cfg["data_dir"], languages)
    random.shuffle(pairs)
    cut = int(0.8 * len(pairs))
    alphabet = Alphabet(line for line, _ in pairs[:cut])
    train = Sentences(pairs[:cut], alphabet, cfg["max_chars"])
    test = Sentences(pairs[cut:], alphabet, cfg["max_chars"])
    print(f"{len(languages)} languages, {len(train)} + {len(test)} sentences, {len(alphabet)} characters")

    model = CharCNN(len(alphabet), len(languages), **cfg["model"])
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["optim"]["lr"])
    for epoch in range(cfg["optim"]["epochs"]):
        model.train()
        for x, y in DataLoader(train, batch_size=cfg["batch_size"], shuffle=True):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            acc = (model(test.x).argmax(1) == test.y).float().mean()
        print(f"epoch {epoch}: loss {loss:.3f} acc {acc:.3f}")


main(*sys.argv[1:])
