import argparse
import csv
import random

import torch
import yaml
from sklearn.metrics import f1_score, precision_recall_curve
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence


class Speller:
    """names and countries -> tensors"""

    def __init__(self, config):
        self.index = {ch: i for i, ch in enumerate(config["alphabet"], start=2)}  # 0 = padding, 1 = any other character
        self.country = {code: i for i, code in enumerate(config["countries"])}
        self.max_len = config["max_len"]

    @property
    def size(self):
        return len(self.index) + 2

    def batch(self, names, countries):
        rows = [torch.tensor([self.index.get(ch, 1) for ch in name.lower()[: self.max_len]]) for name in names]
        lengths = torch.tensor([len(row) for row in rows])
        where = torch.tensor([self.country[c] for c in countries])
        return pad_sequence(rows, batch_first=True), lengths, where


class NameEncoder(nn.Module):
    def __init__(self, speller, char_dim, hidden, out_dim):
        super().__init__()
        self.chars = nn.Embedding(speller.size, char_dim, padding_idx=0)
        self.places = nn.Embedding(len(speller.country), 4)
        self.lstm = nn.LSTM(char_dim, hidden, batch_first=True, bidirectional=True)
        self.project = nn.Linear(2 * hidden + 4, out_dim)

    def forward(self, ids, lengths, where):
        packed = pack_padded_sequence(self.chars(ids), lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.lstm(packed)
        both = torch.cat([h[0], h[1], self.places(where)], dim=1)
        return nn.functional.normalize(self.project(both), dim=1)


def read_pairs(path):
    with open(path, newline="", encoding="utf-8") as f:
        return [(r["left"], r["right"], r["country"], int(r["same"])) for r in csv.DictReader(f)]


def read_names(path):
    with open(path, encoding="utf-8") as f:
        return [tuple(line.rstrip("\n").split("\t")) for line in f]


def batches(pairs, size, shuffle):
    pairs = random.sample(pairs, len(pairs)) if shuffle else pairs
    for i in range(0, len(pairs), size):
        left, right, country, same = zip(*pairs[i : i + size])
        yield left, right, country, torch.tensor(same, dtype=torch.float32)


def embed_pair(model, speller, left, right, country):
    return model(*speller.batch(left, country)), model(*speller.batch(right, country))


def contrastive(a, b, same, margin):
    distance = (a - b).norm(dim=1)
    return (same * distance**2 + (1 - same) * torch.relu(margin - distance) ** 2).mean()


@torch.no_grad()
def best_threshold(model, speller, pairs):
    model.eval()
    similarity, truth = [], []
    for left, right, country, same in batches(pairs, 100, False):
        a, b = embed_pair(model, speller, left, right, country)
        similarity.append((a * b).sum(dim=1))
        truth.append(same)
    similarity, truth = torch.cat(similarity).numpy(), torch.cat(truth).numpy()
    precision, recall, cuts = precision_recall_curve(truth, similarity)
    f1 = 2 * precision * recall / (precision + recall + 1e-9)
    cut = float(cuts[f1[:-1].argmax()])
    return cut, f1_score(truth, similarity >= cut)


def train(args, config):
    opts = config["train"]
    pairs = read_pairs(args.pairs)
    random.shuffle(pairs)
    held = int(len(pairs) * opts["valid_share"])
    valid, fit = pairs[:held], pairs[held:]
    speller = Speller(config)
    model = NameEncoder(speller, **config["model"])
    optimizer = torch.optim.Adam(model.parameters(), lr=opts["lr"])
    for epoch in range(opts["epochs"]):
        model.train()
        losses = []
        for left, right, country, same in batches(fit, opts["batch_size"], True):
            a, b = embed_pair(model, speller, left, right, country)
            loss = contrastive(a, b, same, opts["margin"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        cut, f1 = best_threshold(model, speller, valid)
        print(f"epoch {epoch + 1}  loss {sum(losses) / len(losses):.4f}  valid F1 {f1:.3f} at {cut:.2f}")
    torch.save({"weights": model.state_dict(), "cut": cut}, args.out)


@torch.no_grad()
def link(args, config):
    speller = Speller(config)
    model = NameEncoder(speller, **config["model"])
    saved = torch.load(args.weights)
    model.load_state_dict(saved["weights"])
    model.eval()
    registry, queries = read_names(args.registry), read_names(args.queries)
    known = model(*speller.batch(*zip(*registry)))
    asked = model(*speller.batch(*zip(*queries)))
    score, best = (asked @ known.T).topk(args.top, dim=1)
    for (name, country), row_score, row in zip(queries, score, best):
        found = [f"{registry[j][0]} ({s:.2f})" for s, j in zip(row_score.tolist(), row.tolist()) if s >= saved["cut"]]
        print(f"{country} {name:<38} -> {'; '.join(found) or 'no match'}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=["train", "link"])
    parser.add_argument("--config", default="match.yaml")
    parser.add_argument("--hidden", type=int, help="instead of the value in the config")
    parser.add_argument("--pairs")
    parser.add_argument("--out", default="matcher.pt")
    parser.add_argument("--weights", default="matcher.pt")
    parser.add_argument("--registry")
    parser.add_argument("--queries")
    parser.add_argument("--top", type=int, default=3)
    args = parser.parse_args()
    with open(args.config) as f:
        config = yaml.safe_load(f)
    if args.hidden:
        config["model"]["hidden"] = args.hidden
    torch.manual_seed(4)
    random.seed(4)
    {"train": train, "link": link}[args.task](args, config)


if __name__ == "__main__":
    main()
