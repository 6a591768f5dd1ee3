import json
from collections import defaultdict

import numpy as np
import torch
from torch.utils.data import Dataset


class CocoBoxes(Dataset):
    """images as float tensors, boxes as (n, 4) xywh in pixels, labels from 0"""

    def __init__(self, annotations, images):
        with open(annotations) as f:
            coco = json.load(f)
        with np.load(images) as f:
            self.images = torch.from_numpy(f["images"]).permute(0, 3, 1, 2)
            self.ids = f["ids"].tolist()
        cats = sorted(c["id"] for c in coco["categories"])
        self.names = [c["name"] for c in sorted(coco["categories"], key=lambda c: c["id"])]
        self.boxes, self.labels = defaultdict(list), defaultdict(list)
        for a in coco["annotations"]:
            self.boxes[a["image_id"]].append(a["bbox"])
            self.labels[a["image_id"]].append(cats.index(a["category_id"]))

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        k = self.ids[i]
        boxes = torch.tensor(self.boxes[k], dtype=torch.float32).reshape(-1, 4)
        return self.images[i].float() / 255, boxes, torch.tensor(self.labels[k])


def collate(batch):
    images, boxes, labels = zip(*batch)
    return torch.stack(images), boxes, labels
