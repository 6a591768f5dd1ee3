import argparse
import json
import time

import torch

from features import PatchExtractor


def image_stream(total, size, batch_size, pool=256, seed=0):
    """Re-reads a small pool of textures, as a video of the same product would."""
    g = torch.Generator().manual_seed(seed)
    images = torch.randint(0, 256, (pool, 3, size // 8, size // 8), generator=g).float() / 255
    images = torch.nn.functional.interpolate(images, size=(size, size), mode="nearest")
    done = 0
    while done < total:
        n = min(batch_size, total - done)
        idx = torch.randint(0, pool, (n,), generator=g)
        yield images[idx]
        done += n


def build_bank(extractor, cfg, device):
    bank, seen = [], 0
    for batch in image_stream(cfg["num_images"], cfg["image_size"], cfg["batch_size"]):
        feats = extractor(batch.to(device))
        keep = max(1, int(len(feats) * cfg["coreset_ratio"]))
        chosen = torch.randperm(len(feats), device=device)[:keep]
        bank.append(feats[chosen])
        seen += len(feats)
    print(f"{seen} patches seen, {sum(map(len, bank))} kept")
    return torch.cat(bank)


def score(extractor, bank, images, k):
    feats = extractor(images)
    dist = torch.cat([torch.cdist(f, bank[:50000]).topk(k, largest=False).values.mean(1) for f in feats.split(2048)])
    return dist.view(len(images), -1).amax(1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--settings", default="settings.json")
    cfg = json.load(open(ap.parse_args().settings))
    torch.manual_seed(0)
    device = torch.device("cuda")
    extractor = PatchExtractor(cfg["layers"]).to(device)
    start = time.time()
    bank = build_bank(extractor, cfg, device)
    print(f"{cfg['category']}: bank {tuple(bank.shape)} in {time.time() - start:.1f}s")
    test = next(image_stream(cfg["test_images"], cfg["image_size"], cfg["test_images"], seed=9)).to(device)
    test[::2, :, 80:120, 80:120] = 1.0
    s = score(extractor, bank, test, cfg["neighbours"])
    print(f"mean score defective {s[::2].mean():.3f} good {s[1::2].mean():.3f}")


if __name__ == "__main__":
    main()
