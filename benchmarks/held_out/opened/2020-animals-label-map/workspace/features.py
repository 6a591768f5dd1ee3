import csv
import json
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset


class FeatureDataset(Dataset):
    """Backbone features that were computed once and stored as float16."""

    def __init__(self, root, split):
        root = Path(root)
        self.label_map = json.loads((root / "label_map.json").read_text())
        feats = np.load(root / "features.npy")
        with open(root / "index.csv", newline="") as f:
            rows = [r for r in csv.DictReader(f) if r["split"] == split]
        self.files = [r["file"] for r in rows]
        self.x = torch.from_numpy(feats[[int(r["row"]) for r in rows]].astype(np.float32))
        self.y = torch.tensor([self.label_map[r["label"]] for r in rows])

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]

    @property
    def class_names(self):
        return sorted(self.label_map, key=self.label_map.get)
