import torch


def batches(classes, skill, count=6, size=32, seed=0):
    """Yield logits of shape (size, classes) and labels; more skill: better logits."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        labels = torch.randint(classes, (size,), generator=generator)
        logits = torch.randn(size, classes, generator=generator)
        logits[torch.arange(size), labels] += skill
        yield logits, labels
