import json

import numpy as np
import torch
from torch.utils.data import Dataset

CLASSES = {"mug": 0, "plate": 1, "fork": 2}


class BoxScenes(Dataset):
    def __init__(self, path, side=64):
        with open(path) as fh:
            self.records = json.load(fh)
        self.side = side

    def __len__(self):
        return len(self.records)

    def render(self, rec):
        rng = np.random.default_rng(rec["seed"])
        s = self.side
        img = rng.normal(0, 0.1, (3, s, s)).astype(np.float32)
        for o in rec["objects"]:
            cx, cy, w, h = o["cxcywh"]
            x0, x1 = int((cx - w / 2) * s), int((cx + w / 2) * s)
            y0, y1 = int((cy - h / 2) * s), int((cy + h / 2) * s)
            img[CLASSES[o["label"]], max(y0, 0) : y1, max(x0, 0) : x1] += 1.0
        return torch.from_numpy(img)

    def __getitem__(self, i):
        rec = self.records[i]
        boxes = torch.tensor([o["cxcywh"] for o in rec["objects"]])
        labels = torch.tensor([CLASSES[o["label"]] for o in rec["objects"]])
        return self.render(rec), boxes, labels


def collate(batch):
    images, boxes, labels = zip(*batch)
    return torch.stack(images), list(boxes), list(labels)
