"""Render flat test images for the boxes in an annotation file."""
import argparse
import json

import numpy as np

FILL = {1: (200, 60, 50), 2: (150, 110, 60), 3: (50, 140, 160)}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("annotations")
    ap.add_argument("out")
    args = ap.parse_args()
    with open(args.annotations) as f:
        coco = json.load(f)
    rng = np.random.default_rng(0)
    images = {}
    for im in coco["images"]:
        canvas = rng.normal(225, 6, (im["height"], im["width"], 3))
        images[im["id"]] = canvas
    for a in coco["annotations"]:
        x, y, w, h = a["bbox"]
        images[a["image_id"]][y : y + h, x : x + w] = FILL[a["category_id"]]
    out = np.stack([images[i] for i in sorted(images)]).clip(0, 255).astype(np.uint8)
    np.savez_compressed(args.out, images=out, ids=np.array(sorted(images)))
    print(f"{len(out)} images -> {args.out}")


if __name__ == "__main__":
    main()
