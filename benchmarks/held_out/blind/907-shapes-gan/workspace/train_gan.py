import os
import sys

import numpy as np
import torch
import torch.nn as nn
import yaml
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from nets import Discriminator, Generator, weights_init


class Shapes(Dataset):
    """Circles and boxes drawn on the fly, scaled to [-1, 1]."""

    def __init__(self, n, size, seed):
        rng = np.random.default_rng(seed)
        self.items = []
        yy, xx = np.mgrid[:size, :size]
        for _ in range(n):
            cx, cy = rng.uniform(size * 0.35, size * 0.65, 2)
            r = rng.uniform(size * 0.15, size * 0.3)
            if rng.random() < 0.5:
                img = ((xx - cx) ** 2 + (yy - cy) ** 2 < r ** 2)
            else:
                img = (abs(xx - cx) < r) & (abs(yy - cy) < r)
            self.items.append(img.astype(np.float32) * 2 - 1)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return torch.from_numpy(self.items[i]).unsqueeze(0)


def save_grid(images, path, ncol=8):
    images = ((images.squeeze(1).clamp(-1, 1) + 1) * 127.5).byte().numpy()
    rows = [np.concatenate(list(images[i:i + ncol]), axis=1) for i in range(0, len(images), ncol)]
    Image.fromarray(np.concatenate(rows, axis=0)).save(path)


def main(cfg_path):
    with open(cfg_path) as f:
        cfg = yaml.safe_load(f)
    torch.manual_seed(cfg["seed"])
    os.makedirs(cfg["out_dir"], exist_ok=True)

    d, m, t = cfg["data"], cfg["model"], cfg["train"]
    dataset = Shapes(d["n_images"], d["image_size"], cfg["seed"])
    loader = DataLoader(dataset, batch_size=d["batch_size"], shuffle=True, drop_last=True)

    netG = Generator(m["z_dim"], m["g_width"]).apply(weights_init)
    netD = Discriminator(m["d_width"]).apply(weights_init)
    betas = (t["beta1"], t["beta2"])
    optG = torch.optim.Adam(netG.parameters(), lr=t["lr_g"], betas=betas)
    optD = torch.optim.Adam(netD.parameters(), lr=t["lr_d"], betas=betas)
    bce = nn.BCEWithLogitsLoss()
    fixed = torch.randn(32, m["z_dim"], 1, 1)

    for epoch in range(t["epochs"]):
        for real in loader:
            bs = real.size(0)
            ones, zeros = torch.ones(bs), torch.zeros(bs)
            fake = netG(torch.randn(bs, m["z_dim"], 1, 1))

            # D
            optD.zero_grad()
            loss_real = bce(netD(real), ones)
            loss_fake = bce(netD(fake), zeros)
            loss_d = loss_real + loss_fake
            loss_d.backward()
            optD.step()

            # G
            optG.zero_grad()
            loss_g = bce(netD(fake), ones)
            loss_g.backward()
            optG.step()

        print(f"[{epoch + 1}/{t['epochs']}] loss_d {loss_d.item():.4f} loss_g {loss_g.item():.4f}")
        if (epoch + 1) % t["sample_every"] == 0:
            netG.eval()
            with torch.no_grad():
                save_grid(netG(fixed), os.path.join(cfg["out_dir"], f"epoch_{epoch + 1:03d}.png"))
            netG.train()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "config.yaml")
