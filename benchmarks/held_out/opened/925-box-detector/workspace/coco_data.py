import json
import os

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset


class SceneDataset(Dataset):
    """COCO style annotations -> (image, boxes[cx, cy, w, h] in 0..1, class indices)."""

    def __init__(self, root, ann_file, subset):
        with open(os.path.join(root, ann_file)) as f:
            coco = json.load(f)
        self.root = root
        self.images = [im for im in coco["images"] if im["subset"] == subset]
        self.categories = sorted(coco["categories"], key=lambda c: c["id"])
        self.cat_to_idx = {c["id"]: i for i, c in enumerate(self.categories)}
        self.anns = {im["id"]: [] for im in coco["images"]}
        for ann in coco["annotations"]:
            self.anns[ann["image_id"]].append(ann)

    @property
    def num_classes(self):
        return len(self.categories)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        info = self.images[i]
        img = Image.open(os.path.join(self.root, info["file_name"])).convert("RGB")
        x = torch.from_numpy(np.array(img)).permute(2, 0, 1).float() / 255.0
        boxes, labels = [], []
        for ann in self.anns[info["id"]]:
            bx, by, bw, bh = ann["bbox"]
            boxes.append([
                (bx + bw / 2) / info["width"],
                (by + bh / 2) / info["height"],
                bw / info["width"],
                bh / info["height"],
            ])
            labels.append(self.cat_to_idx[ann["category_id"]])
        return x, torch.tensor(boxes).reshape(-1, 4), torch.tensor(labels, dtype=torch.long)


def collate(batch):
    images, boxes, labels = zip(*batch)
    return torch.stack(images), list(boxes), list(labels)
