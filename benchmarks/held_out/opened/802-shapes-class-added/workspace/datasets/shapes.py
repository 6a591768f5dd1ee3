import numpy as np
import torch
from torch.utils.data import Dataset, DataLoader


def draw(kind, size, rng):
    img = np.zeros((size, size), dtype=np.float32)
    cx, cy = rng.integers(size // 3, size - size // 3, 2)
    r = int(rng.integers(size // 6, size // 4))
    yy, xx = np.mgrid[:size, :size]
    if kind == "circle":
        img[(xx - cx) ** 2 + (yy - cy) ** 2 <= r * r] = 1
    elif kind == "square":
        img[cy - r:cy + r, cx - r:cx + r] = 1
    elif kind == "triangle":
        img[(yy - cy + r >= 2 * np.abs(xx - cx)) & (yy <= cy + r)] = 1
    elif kind == "ring":
        d2 = (xx - cx) ** 2 + (yy - cy) ** 2
        img[(d2 <= r * r) & (d2 >= (r - 2) ** 2)] = 1
    elif kind == "cross":
        img[cy - 1:cy + 2, cx - r:cx + r] = 1
        img[cy - r:cy + r, cx - 1:cx + 2] = 1
    else:
        raise ValueError("unknown shape %r" % kind)
    return img


class ShapesDataset(Dataset):
    def __init__(self, n, cfg, split="train"):
        seed = {"train": 0, "val": 1}[split]
        self.rng = np.random.default_rng(seed)
        self.classes = list(cfg["classes"])
        self.images, self.labels = [], []
        for i in range(n):
            y = i % len(self.classes)
            img = draw(self.classes[y], cfg["image_size"], self.rng)
            color = self.rng.uniform(0.4, 1.0, 3).astype(np.float32)
            rgb = img[..., None] * color
            rgb += self.rng.normal(0, cfg["noise"], rgb.shape).astype(np.float32)
            self.images.append(rgb)
            self.labels.append(y)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, idx):
        x = torch.from_numpy(self.images[idx]).permute(2, 0, 1)
        x = (x - 0.2) / 0.35
        return x, self.labels[idx]


def build_loaders(cfg):
    d = cfg["data"]
    bs = cfg["train"]["batch_size"]
    train = ShapesDataset(d["n_train"], d, "train")
    val = ShapesDataset(d["n_val"], d, "val")
    return (
        DataLoader(train, batch_size=bs, shuffle=True, drop_last=True),
        DataLoader(val, batch_size=bs),
    )
