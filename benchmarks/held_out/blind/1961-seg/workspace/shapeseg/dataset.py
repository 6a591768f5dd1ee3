from __future__ import annotations

import numpy as np
import torch
from torch.utils.data import Dataset


def _draw(rng: np.random.Generator, canvas: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    img = np.zeros((canvas, canvas, 3), dtype=np.float32)
    img += rng.uniform(0.0, 0.35, size=3)
    mask = np.zeros((canvas, canvas), dtype=np.uint8)
    yy, xx = np.mgrid[:canvas, :canvas]
    for _ in range(rng.integers(2, 5)):
        cls = int(rng.integers(1, n_classes))
        cy, cx = rng.integers(10, canvas - 10, size=2)
        r = int(rng.integers(7, 15))
        if cls == 1:
            region = (yy - cy) ** 2 + (xx - cx) ** 2 <= r**2
        elif cls == 2:
            region = (abs(yy - cy) <= r) & (abs(xx - cx) <= r)
        else:
            region = (yy - cy <= r) & (yy - cy >= -r) & (abs(xx - cx) * 2 <= (yy - cy + r))
        img[region] = rng.uniform(0.45, 1.0, size=3)
        mask[region] = cls
    return img, mask


def mark_boundaries(mask: np.ndarray, width: int, value: int) -> np.ndarray:
    """Annotators are unsure along contours; those pixels are set to ``value``."""
    if width <= 0:
        return mask
    edge = np.zeros(mask.shape, dtype=bool)
    for s in range(1, width + 1):
        edge[s:] |= mask[s:] != mask[:-s]
        edge[:, s:] |= mask[:, s:] != mask[:, :-s]
    out = mask.copy()
    out[edge] = value
    return out


class ShapesDataset(Dataset):
    def __init__(self, cfg: dict, split: str) -> None:
        data = cfg["data"]
        self.crop = data["crop"]
        self.noise = data["noise"]
        self.split = split
        n = data["n_train"] if split == "train" else data["n_val"]
        rng = np.random.default_rng(cfg["seed"] + (0 if split == "train" else 10_000))
        self.samples = []
        for _ in range(n):
            img, mask = _draw(rng, data["canvas"], len(data["classes"]))
            mask = mark_boundaries(mask, data["boundary_px"], data["ignore_label"])
            self.samples.append((img, mask))
        self.rng = np.random.default_rng(cfg["seed"] + 1)

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, idx: int) -> tuple[torch.Tensor, torch.Tensor]:
        img, mask = self.samples[idx]
        h, w = mask.shape
        if self.split == "train":
            top = int(self.rng.integers(0, h - self.crop + 1))
            left = int(self.rng.integers(0, w - self.crop + 1))
        else:
            top, left = (h - self.crop) // 2, (w - self.crop) // 2
        img = img[top : top + self.crop, left : left + self.crop]
        mask = mask[top : top + self.crop, left : left + self.crop]
        if self.split == "train":
            if self.rng.random() < 0.5:
                img, mask = img[:, ::-1], mask[:, ::-1]
            img = img + self.rng.normal(0, self.noise, size=img.shape).astype(np.float32)
        x = torch.from_numpy(np.ascontiguousarray(img.transpose(2, 0, 1))).float()
        y = torch.from_numpy(np.ascontiguousarray(mask)).long()
        return (x - 0.3) / 0.3, y
