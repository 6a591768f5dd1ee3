import json
from pathlib import Path

import torch
from torch.utils.data import Dataset


class Tickets(Dataset):
    def __init__(self, folder, part):
        self.samples = json.loads((Path(folder) / f"{part}.json").read_text())

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        sample = self.samples[i]
        return torch.tensor(sample["ids"]), torch.tensor(sample["label"])


def read_meta(folder):
    return json.loads((Path(folder) / "meta.json").read_text())
