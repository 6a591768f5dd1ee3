"""Pack tokenised lines into fixed-length blocks."""
from itertools import chain

from datasets import Dataset


def read_lines(path):
    with open(path, encoding="utf8") as fh:
        return Dataset.from_dict({"text": [line.rstrip("\n") for line in fh if line.strip()]})


def packed(dataset, tokenizer, block_size):
    def tokenize(batch):
        return {"input_ids": [tokenizer(t).input_ids + [tokenizer.eos_token_id] for t in batch["text"]]}

    def group(batch):
        flat = list(chain.from_iterable(batch["input_ids"]))
        usable = len(flat) // block_size * block_size
        return {"input_ids": [flat[i : i + block_size] for i in range(0, usable, block_size)]}

    ids = dataset.map(tokenize, batched=True, remove_columns=dataset.column_names)
    return ids.map(group, batched=True, batch_size=500)
