import json
import sys

import torch

from pumpwatch.detector import Detector
from pumpwatch.signals import Standardiser, cut, load_table, window_labels


def main(path):
    cfg = json.load(open(path))
    torch.manual_seed(0)
    healthy, _ = load_table(cfg["healthy"], cfg["channels"])
    mixed, fault = load_table(cfg["mixed"], cfg["channels"])
    std = Standardiser().fit(healthy)
    train = cut(std.transform(healthy), cfg["width"], cfg["step"])
    test = cut(std.transform(mixed), cfg["width"], cfg["step"])
    truth = window_labels(fault, cfg["width"], cfg["step"])

    detector = Detector(cfg)
    detector.fit(train)
    found = detector.flags(test)
    hits = int((found & (truth == 1)).sum())
    print(f"threshold {detector.threshold:.4f}")
    print(f"windows flagged {int(found.sum())} of {len(found)}, faulty {int(truth.sum())}, both {hits}")
    print(f"recall {hits / truth.sum():.2f}  precision {hits / max(found.sum(), 1):.2f}")


main(sys.argv[1] if sys.argv[1:] else "monitor.json")
