import random

import torch

CLS, SEP, PAD, FIRST = 2, 3, 0, 10


def make_example(rng, vocab, length=40):
    """Question: two tokens. Answer: the span between their occurrences in the passage."""
    a, b = rng.sample(range(FIRST, FIRST + 20), 2)
    passage = [rng.randrange(FIRST + 20, vocab) for _ in range(length)]
    start = rng.randrange(1, length - 8)
    end = start + rng.randrange(2, 6)
    passage[start - 1], passage[end + 1] = a, b
    ids = [CLS, a, b, SEP] + passage + [SEP]
    return ids, start + 4, end + 4


def make_batch(rng, n, vocab):
    rows = [make_example(rng, vocab, rng.randint(24, 40)) for _ in range(n)]
    width = max(len(r[0]) for r in rows)
    ids = torch.full((n, width), PAD)
    types = torch.zeros(n, width, dtype=torch.long)
    for i, (r, _, _) in enumerate(rows):
        ids[i, : len(r)] = torch.tensor(r)
        types[i, 4 : len(r)] = 1
    return {
        "input_ids": ids,
        "token_type_ids": types,
        "attention_mask": (ids != PAD).long(),
        "start_positions": torch.tensor([r[1] for r in rows]),
        "end_positions": torch.tensor([r[2] for r in rows]),
    }
