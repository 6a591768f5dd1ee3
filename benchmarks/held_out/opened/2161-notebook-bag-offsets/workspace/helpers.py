import torch


def build_vocab(texts, min_count=1):
    counts = {}
    for t in texts:
        for w in t.split():
            counts[w] = counts.get(w, 0) + 1
    words = sorted(w for w, c in counts.items() if c >= min_count)
    return {w: i + 1 for i, w in enumerate(words)}


def numericalise(text, vocab):
    return [vocab.get(w, 0) for w in text.split()]


def bag_collate(batch):
    """(list of ids, label) pairs -> flat ids, offsets, labels"""
    ids, labels = zip(*batch)
    flat = torch.tensor([i for row in ids for i in row])
    offsets = torch.tensor([len(row) for row in ids]).cumsum(0)
    return flat, offsets, torch.tensor(labels, dtype=torch.float32)
