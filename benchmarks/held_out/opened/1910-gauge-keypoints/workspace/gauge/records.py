import csv
from collections import defaultdict


def read_annotations(path, keypoints):
    """Returns {image id: [(x, y, visible), ...]} in the order of `keypoints`, coordinates relative to the image (0..1)."""
    table = defaultdict(dict)
    with open(path, newline="") as fh:
        for r in csv.DictReader(fh):
            table[r["image"]][r["point"]] = (float(r["x"]), float(r["y"]), int(r["visible"]))
    return {k: [v.get(p, (0.0, 0.0, 0)) for p in keypoints] for k, v in sorted(table.items())}
