import torch


def read_lines(path):
    with open(path, encoding="utf-8") as f:
        return [line.strip() for line in f if line.strip()]


class Blocks(torch.utils.data.Dataset):
    """All lines in one stream, cut into blocks."""

    def __init__(self, lines, tokenizer, block_size):
        ids = []
        for line in lines:
            ids += tokenizer(line)["input_ids"] + [tokenizer.eos_token_id]
        n = len(ids) // block_size
        self.blocks = torch.tensor(ids[: n * block_size]).view(n, block_size)

    def __len__(self):
        return len(self.blocks)

    def __getitem__(self, i):
        return {"input_ids": self.blocks[i], "labels": self.blocks[i].clone()}
