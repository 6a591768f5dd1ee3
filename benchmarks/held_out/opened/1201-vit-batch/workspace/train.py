import argparse
import itertools
import time

import torch
import torch.nn.functional as F
import yaml
from torch.utils.data import DataLoader, Dataset

from vit import ViT


class FakeImages(Dataset):
    def __init__(self, num_images, image_size, num_classes):
        g = torch.Generator().manual_seed(0)
        self.x = torch.randint(0, 256, (num_images, 3, image_size, image_size), dtype=torch.uint8, generator=g)
        self.y = torch.randint(0, num_classes, (num_images,), generator=g)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i].float().div_(255).sub_(0.5), self.y[i]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="configs/vit_small.yaml")
    cfg = yaml.safe_load(open(ap.parse_args().config))
    torch.manual_seed(cfg["seed"])
    device = torch.device("cuda")

    ds = FakeImages(**cfg["data"])
    t = cfg["train"]
    loader = DataLoader(ds, batch_size=t["batch_size"], shuffle=True, drop_last=True)
    model = ViT(cfg["data"]["image_size"], cfg["data"]["num_classes"], **cfg["model"]).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=t["lr"], weight_decay=t["weight_decay"])
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.1f}M parameters, {len(loader)} batches")

    start = time.time()
    batches = itertools.chain.from_iterable(itertools.repeat(loader))
    for step, (x, y) in enumerate(itertools.islice(batches, t["max_steps"]), 1):
        x, y = x.to(device), y.to(device)
        loss = F.cross_entropy(model(x), y, label_smoothing=0.1)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        if step % t["log_every"] == 0:
            print(f"step {step} loss {loss.item():.4f} {time.time() - start:.1f}s")


if __name__ == "__main__":
    main()
