import argparse
import csv
import re
from collections import Counter

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--reviews", required=True)
    ap.add_argument("--out", required=True)
    ap.add_argument("--min-count", type=int, default=1)
    a = ap.parse_args()
    counts = Counter()
    with open(a.reviews, newline="") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            counts.update(re.findall(r"[a-z]+", row["text"].lower()))
    words = SPECIAL + sorted(w for w, c in counts.items() if c >= a.min_count)
    with open(a.out, "w") as f:
        f.write("\n".join(words) + "\n")
    print(f"{len(words)} tokens -> {a.out}")


if __name__ == "__main__":
    main()
