"""Route tickets from a jsonl file: python predict.py data/valid.jsonl"""
import argparse
import json
from collections import Counter
from pathlib import Path

import torch

from router.data import read_jsonl
from router.model import GRUClassifier
from router.text import encode


def load(folder):
    meta = json.loads((folder / "meta.json").read_text())
    meta["id2label"] = {int(i): name for i, name in meta["id2label"].items()}
    model = GRUClassifier(
        len(meta["vocab"]), meta["embed_dim"], meta["hidden_dim"], len(meta["id2label"])
    )
    model.load_state_dict(torch.load(folder / "weights.pt"))
    return model.eval(), meta


@torch.no_grad()
def route(model, meta, text):
    ids = torch.tensor([encode(text, meta["vocab"])])
    probs = model(ids, torch.tensor([ids.shape[1]])).softmax(-1)[0]
    best = int(probs.argmax())
    return meta["id2label"][best], probs[best].item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tickets", type=Path)
    p.add_argument("--artifacts", type=Path, default=Path("artifacts"))
    p.add_argument("--threshold", type=float, default=0.5)
    args = p.parse_args()

    model, meta = load(args.artifacts)
    queues = Counter()
    for row in read_jsonl(args.tickets):
        label, score = route(model, meta, row["text"])
        queues[label if score >= args.threshold else "manual"] += 1
    for name, n in queues.most_common():
        print(f"{name:10s} {n}")


if __name__ == "__main__":
    main()
