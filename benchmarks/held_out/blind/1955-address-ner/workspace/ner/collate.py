import torch
from torch.nn.utils.rnn import pad_sequence

from ner.labels import IGNORE


def make_collate(pad_id):
    fill = {"input_ids": pad_id, "attention_mask": 0, "labels": IGNORE}

    def collate(rows):
        return {
            key: pad_sequence([torch.tensor(r[key]) for r in rows], batch_first=True, padding_value=value)
            for key, value in fill.items()
        }

    return collate
