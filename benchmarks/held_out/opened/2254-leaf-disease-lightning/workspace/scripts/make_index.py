"""Walks <raw>/<class>/*.npy and writes one CSV row per crop."""
import argparse
import csv
from pathlib import Path


def collect(raw: Path):
    classes = sorted(d.name for d in raw.iterdir() if d.is_dir())
    for label, name in enumerate(classes, start=1):
        for path in sorted((raw / name).glob("*.npy")):
            yield {
                "file": path.relative_to(raw).as_posix(),
                "class_name": name,
                "label": label,
            }


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--raw", type=Path, required=True)
    p.add_argument("--out", type=Path, required=True)
    args = p.parse_args()

    rows = list(collect(args.raw))
    with open(args.out, "w", newline="") as fh:
        writer = csv.DictWriter(fh, fieldnames=["file", "class_name", "label"])
        writer.writeheader()
        writer.writerows(rows)
    n_classes = len({r["class_name"] for r in rows})
    print(f"{args.out}: {len(rows)} crops, {n_classes} classes")


if __name__ == "__main__":
    main()
