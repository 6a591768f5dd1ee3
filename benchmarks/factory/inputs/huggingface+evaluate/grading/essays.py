import torch


def make_essays(count, vocab_size, length, seed=0):
    """Token sequences whose grade grows with the number of good words in them."""
    generator = torch.Generator().manual_seed(seed)
    good = vocab_size // 4
    rows = []
    for _ in range(count):
        share = torch.rand((), generator=generator)
        pick = torch.rand(length, generator=generator) < share
        low = torch.randint(3, good, (length,), generator=generator)
        high = torch.randint(good, vocab_size, (length,), generator=generator)
        tokens = torch.where(pick, low, high)
        rows.append((tokens, pick.float().mean() * 4))
    return rows
