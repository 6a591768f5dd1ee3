import csv
from collections import defaultdict

import torch
import torch.nn.functional as F
from torch.utils.data import Dataset

from scenes import COLORS, render

LABELS = sorted(COLORS)


def read_annotations(path):
    by_image = defaultdict(list)
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            box = tuple(int(row[k]) for k in ("x1", "y1", "x2", "y2"))
            by_image[int(row["image_id"])].append((row["label"], *box))
    return by_image


class SignCrops(Dataset):
    """One item per annotated box, resized to a fixed square."""

    def __init__(self, by_image, image_ids, size=16, margin=1):
        self.size, self.margin = size, margin
        self.images = {i: torch.from_numpy(render(i, by_image[i])) for i in image_ids}
        self.items = [(i, b) for i in image_ids for b in by_image[i]]

    def __len__(self):
        return len(self.items)

    def crop(self, image, box):
        x1, y1, x2, y2 = box
        m = self.margin
        patch = image[:, max(0, y1 - m):y2 + m, max(0, x1 - m):x2 + m]
        return F.interpolate(patch[None], size=(self.size, self.size), mode="bilinear", align_corners=False)[0]

    def __getitem__(self, k):
        image_id, (label, *box) = self.items[k]
        return self.crop(self.images[image_id], box), LABELS.index(label)
