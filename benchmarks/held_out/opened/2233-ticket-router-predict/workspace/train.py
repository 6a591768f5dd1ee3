"""Train the ticket router: python train.py [settings.json]"""
import json
import sys
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

from router.data import Tickets, collate, read_jsonl
from router.model import GRUClassifier
from router.text import build_vocab


def evaluate(model, loader):
    model.eval()
    right = 0
    with torch.no_grad():
        for ids, lengths, labels in loader:
            right += (model(ids, lengths).argmax(-1) == labels).sum().item()
    return right / len(loader.dataset)


def main(path="settings.json"):
    s = json.loads(Path(path).read_text())
    torch.manual_seed(s["seed"])

    train_rows = read_jsonl(s["train_file"])
    valid_rows = read_jsonl(s["valid_file"])
    vocab = build_vocab((r["text"] for r in train_rows), s["min_count"])
    label2id = {name: i for i, name in enumerate(s["labels"])}
    print(f"{len(train_rows)} tickets, {len(vocab)} tokens, {len(label2id)} labels")

    train = DataLoader(
        Tickets(train_rows, vocab, label2id),
        batch_size=s["batch_size"],
        shuffle=True,
        collate_fn=collate,
    )
    valid = DataLoader(Tickets(valid_rows, vocab, label2id), batch_size=64, collate_fn=collate)

    model = GRUClassifier(len(vocab), s["embed_dim"], s["hidden_dim"], len(label2id))
    opt = torch.optim.Adam(model.parameters(), lr=s["lr"])
    for epoch in range(1, s["epochs"] + 1):
        model.train()
        total = 0.0
        for ids, lengths, labels in train:
            loss = cross_entropy(model(ids, lengths), labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"epoch {epoch}  loss {total / len(train):.3f}  valid {evaluate(model, valid):.3f}")

    out = Path(s["out_dir"])
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "weights.pt")
    meta = {
        "vocab": vocab,
        "id2label": {i: name for name, i in label2id.items()},
        "embed_dim": s["embed_dim"],
        "hidden_dim": s["hidden_dim"],
    }
    (out / "meta.json").write_text(json.dumps(meta))
    print(f"saved to {out}/")


if __name__ == "__main__":
    main(*sys.argv[1:])
