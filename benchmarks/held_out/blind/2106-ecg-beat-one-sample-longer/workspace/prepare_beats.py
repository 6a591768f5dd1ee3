"""Cut single beats out of the continuous ECG records and store them in one npz file."""
import argparse
import csv
import json
from pathlib import Path

import numpy as np


def read_annotations(path):
    positions, symbols = [], []
    with open(path, newline="") as fh:
        for row in csv.DictReader(fh):
            positions.append(int(row["sample"]))
            symbols.append(row["symbol"].strip())
    return np.array(positions), symbols


def robust_scale(signal):
    q25, q50, q75 = np.percentile(signal, [25, 50, 75])
    return (signal - q50) / max(q75 - q25, 1e-6)


def cut_beats(signal, positions, symbols, before, after, code):
    beats, labels = [], []
    for pos, sym in zip(positions, symbols):
        if pos - before < 0 or pos + after >= len(signal):
            continue
        beats.append(signal[pos - before:pos + after + 1])
        labels.append(code[sym])
    return beats, labels


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="config.json")
    args = ap.parse_args()
    cfg = json.loads(Path(args.config).read_text())

    code = {name: i for i, name in enumerate(cfg["classes"])}
    all_beats, all_labels, all_groups = [], [], []
    for rec in cfg["records"]:
        signal = np.load(Path(cfg["raw_dir"]) / f"{rec}.npy")
        positions, symbols = read_annotations(Path(cfg["raw_dir"]) / f"{rec}_beats.csv")
        beats, labels = cut_beats(
            robust_scale(signal), positions, symbols,
            cfg["samples_before"], cfg["samples_after"], code,
        )
        all_beats += beats
        all_labels += labels
        all_groups += [rec] * len(beats)
        print(f"{rec}: {len(beats)} beats")

    out = Path(cfg["out_file"])
    out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        out,
        beats=np.stack(all_beats).astype(np.float16),
        labels=np.array(all_labels, dtype=np.int64),
        groups=np.array(all_groups),
    )
    print(f"wrote {out} with {len(all_beats)} beats")


if __name__ == "__main__":
    main()
