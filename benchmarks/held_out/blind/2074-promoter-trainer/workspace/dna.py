"""Random DNA with or without a TATA-like motif, tokenized in overlapping 3-mers."""
import itertools
import random

from datasets import Dataset

KMER = 3
KMERS = ["".join(p) for p in itertools.product("ACGT", repeat=KMER)]
VOCAB = {k: i + 2 for i, k in enumerate(KMERS)}  # 0 = pad, 1 = cls
VOCAB_SIZE = len(VOCAB) + 2


def sequence(rng, promoter, n=48):
    s = [rng.choice("ACGT") for _ in range(n)]
    if promoter:
        at = rng.randrange(10, n - 12)
        s[at:at + 8] = list(rng.choice(["TATAAAAG", "TATAAATA", "TATATAAG"]))
    return "".join(s)


def tokenize(seq):
    return [1] + [VOCAB[seq[i:i + KMER]] for i in range(len(seq) - KMER + 1)]


def make_dataset(n, seed, positive=0.25):
    rng = random.Random(seed)
    rows = {"input_ids": [], "attention_mask": [], "labels": []}
    for _ in range(n):
        y = int(rng.random() < positive)
        ids = tokenize(sequence(rng, y))
        rows["input_ids"].append(ids)
        rows["attention_mask"].append([1] * len(ids))
        rows["labels"].append(y)
    return Dataset.from_dict(rows)
