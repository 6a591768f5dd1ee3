"""Language-model blocks: all recipes are joined and cut into pieces of one length."""
from itertools import chain

from datasets import Dataset


def load_lines(path):
    with open(path, encoding="utf-8") as fh:
        return [line.strip() for line in fh if line.strip()]


def split_lines(lines, holdout):
    return lines[:-holdout], lines[-holdout:]


def make_blocks(lines, tokenizer, block_size):
    raw = Dataset.from_dict({"text": lines})

    def encode(batch):
        return tokenizer([t + " " + tokenizer.eos_token for t in batch["text"]], return_token_type_ids=False)

    def group(batch):
        joined = {k: list(chain.from_iterable(batch[k])) for k in batch}
        total = len(joined["input_ids"])
        blocks = {k: [v[i : i + block_size] for i in range(0, total, block_size)] for k, v in joined.items()}
        blocks["labels"] = [list(b) for b in blocks["input_ids"]]
        return blocks

    encoded = raw.map(encode, batched=True, remove_columns=["text"])
    return encoded.map(group, batched=True)
