import json
import os

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset

import settings as S
from .targets import gaussian_maps


class Frames(Dataset):
    def __init__(self, annotation_file, image_dir):
        with open(annotation_file) as f:
            self.records = json.load(f)
        self.image_dir = image_dir

    def __len__(self):
        return len(self.records)

    def __getitem__(self, i):
        rec = self.records[i]
        img = Image.open(os.path.join(self.image_dir, rec["file"])).convert("RGB")
        sx, sy = S.INPUT_W / img.width, S.INPUT_H / img.height
        img = img.resize((S.INPUT_W, S.INPUT_H), Image.ANTIALIAS)
        pts = [(x * sx, y * sy, v) for x, y, v in rec["keypoints"]]
        x = torch.from_numpy(np.array(img)).permute(2, 0, 1).float() / 255 - 0.5
        heat = gaussian_maps(pts, S.INPUT_W, S.INPUT_H, S.STRIDE, S.SIGMA)
        return x, heat, torch.tensor(pts)[:, :2]
