import torch

FIRST_TOKEN = 3


def sequences(vocab_size, length, batch_size, seed=0):
    """Yield batches of counting sequences; the first two positions are not scored."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        start = torch.randint(FIRST_TOKEN, vocab_size - length, (batch_size, 1), generator=generator)
        input_ids = start + torch.arange(length)
        labels = input_ids.clone()
        labels[:, :2] = -100
        yield {
            "input_ids": input_ids,
            "attention_mask": torch.ones_like(input_ids),
            "labels": labels,
        }
