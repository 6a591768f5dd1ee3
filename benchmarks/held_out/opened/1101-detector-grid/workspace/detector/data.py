import json
from collections import defaultdict

import torch
from torch.utils.data import Dataset


def draw(kind, w):
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, w), torch.linspace(-1, 1, w), indexing="ij")
    if kind == "circle":
        return (xx ** 2 + yy ** 2 <= 1).float()
    if kind == "square":
        return torch.ones(w, w)
    return (yy >= 2 * xx.abs() - 1).float()


class ShapesDataset(Dataset):
    def __init__(self, annotation_file, class_names, image_size):
        with open(annotation_file) as fh:
            coco = json.load(fh)
        id_to_name = {c["id"]: c["name"] for c in coco["categories"]}
        self.class_names = list(class_names)
        self.image_size = image_size
        self.images = coco["images"]
        self.by_image = defaultdict(list)
        for ann in coco["annotations"]:
            name = id_to_name[ann["category_id"]]
            self.by_image[ann["image_id"]].append((name, ann["bbox"]))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, idx):
        meta = self.images[idx]
        gen = torch.Generator().manual_seed(meta["seed"])
        img = 0.1 * torch.rand(3, self.image_size, self.image_size, generator=gen)
        boxes, labels = [], []
        for name, (x, y, w, h) in self.by_image[meta["id"]]:
            color = 0.4 + 0.6 * torch.rand(3, 1, 1, generator=gen)
            stencil = draw(name, w)
            patch = img[:, y:y + h, x:x + w]
            img[:, y:y + h, x:x + w] = torch.where(stencil.bool(), color, patch)
            boxes.append([x + w / 2, y + h / 2, w, h])
            labels.append(self.class_names.index(name))
        return img, {"boxes": torch.tensor(boxes, dtype=torch.float32), "labels": torch.tensor(labels)}


def detection_collate(batch):
    images, targets = zip(*batch)
    return torch.stack(images), list(targets)
