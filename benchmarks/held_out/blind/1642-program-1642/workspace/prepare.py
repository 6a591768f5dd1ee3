import argparse
import csv
import json
import random
from pathlib import Path

from vocab import CLS, SEP, Vocab

parser = argparse.ArgumentParser()
parser.add_argument("--corpus", default="reviews.tsv")
parser.add_argument("--out", default="prepared")
parser.add_argument("--min-freq", type=int, default=3)
parser.add_argument("--max-len", type=int, default=16)
parser.add_argument("--val-frac", type=float, default=0.2)
args = parser.parse_args()

out = Path(args.out)
out.mkdir(exist_ok=True)

with open(args.corpus) as f:
    rows = [(int(r["label"]), r["text"]) for r in csv.DictReader(f, delimiter="\t")]
random.Random(0).shuffle(rows)
cut = int(len(rows) * (1 - args.val_frac))
splits = {"train": rows[:cut], "val": rows[cut:]}

vocab = Vocab.build([t for _, t in splits["train"]], args.min_freq)
meta = {"vocab_size": len(vocab), "max_len": args.max_len, "classes": ["neg", "pos"]}
for token in (CLS, SEP):
    meta[token.strip("[]").lower() + "_id"] = vocab.add_special(token)
vocab.save(out / "vocab.json")

for name, part in splits.items():
    with open(out / f"{name}.jsonl", "w") as f:
        for label, text in part:
            f.write(json.dumps({"ids": vocab.encode(text, args.max_len), "label": label}) + "\n")
    print(f"{name}: {len(part)} examples")

(out / "meta.json").write_text(json.dumps(meta, indent=2))
print(f"wrote {out}/")
