import argparse
import json

import torch
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForTokenClassification, get_linear_schedule_with_warmup, set_seed

from corpus import IGNORE, Collator, build_vocab, read_conll, read_labels


def evaluate(model, loader, o_id):
    model.eval()
    right = total = ent_right = ent_total = 0
    with torch.no_grad():
        for batch in loader:
            pred = model(**batch).logits.argmax(-1)
            gold = batch["labels"]
            keep = gold != IGNORE
            right += (pred[keep] == gold[keep]).sum().item()
            total += keep.sum().item()
            ent = keep & (gold != o_id)
            ent_right += (pred[ent] == gold[ent]).sum().item()
            ent_total += ent.sum().item()
    return right / total, ent_right / max(ent_total, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="tagger_config.json")
    args = parser.parse_args()
    with open(args.config) as f:
        cfg = json.load(f)
    tr = cfg["training"]
    set_seed(tr["seed"])

    train, dev = read_conll(tr["train_file"]), read_conll(tr["dev_file"])
    labels = read_labels(tr["label_file"])
    vocab = build_vocab(train, cfg["encoder"]["vocab_size"])
    print(f"{len(train)} train / {len(dev)} dev receipts, {len(vocab)} words, {len(labels)} labels")

    collate = Collator(vocab, labels, tr["max_words"])
    train_dl = DataLoader(train, batch_size=tr["batch_size"], shuffle=True, collate_fn=collate)
    dev_dl = DataLoader(dev, batch_size=tr["batch_size"], collate_fn=collate)

    model = BertForTokenClassification(BertConfig(**cfg["encoder"]))
    optimizer = torch.optim.AdamW(model.parameters(), lr=tr["learning_rate"])
    steps = tr["epochs"] * len(train_dl)
    scheduler = get_linear_schedule_with_warmup(optimizer, steps // 10, steps)

    for epoch in range(tr["epochs"]):
        model.train()
        running = 0.0
        for batch in train_dl:
            out = model(**batch)
            out.loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            running += out.loss.item()
        acc, ent = evaluate(model, dev_dl, collate.label_ids["O"])
        print(f"epoch {epoch}: loss {running / len(train_dl):.3f} dev acc {acc:.3f} entity acc {ent:.3f}")


if __name__ == "__main__":
    main()
