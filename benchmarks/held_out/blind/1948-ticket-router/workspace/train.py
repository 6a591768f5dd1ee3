import argparse
import json

import torch
from torch.utils.data import DataLoader
from transformers import DistilBertConfig, DistilBertForSequenceClassification, set_seed

from make_tokenizer import build_tokenizer
from ticket_data import Collate, TicketDataset, load_frame, load_queues, split


def get_model(queues):
    with open("model_config.json") as fh:
        raw = json.load(fh)
    raw.pop("model_type")
    config = DistilBertConfig(
        **raw,
        id2label=dict(enumerate(queues)),
        label2id={q: i for i, q in enumerate(queues)},
    )
    return DistilBertForSequenceClassification(config)


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hit = n = 0
    for batch in loader:
        labels = batch.pop("labels")
        pred = model(**batch).logits.argmax(-1)
        hit += (pred == labels).sum().item()
        n += len(labels)
    return hit / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args()
    set_seed(42)

    queues = load_queues()
    df = load_frame()
    train_df, valid_df = split(df)
    print(f"{len(train_df)} train / {len(valid_df)} valid tickets, {len(queues)} queues")

    model = get_model(queues)
    tokenizer = build_tokenizer(
        train_df["text"], model.config.vocab_size, model.config.max_position_embeddings
    )
    collate = Collate(tokenizer)
    train_dl = DataLoader(TicketDataset(train_df, tokenizer), args.batch_size, shuffle=True, collate_fn=collate)
    valid_dl = DataLoader(TicketDataset(valid_df, tokenizer), args.batch_size, collate_fn=collate)

    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, args.lr, total_steps=args.epochs * len(train_dl))
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for batch in train_dl:
            out = model(**batch)
            out.loss.backward()
            opt.step()
            sched.step()
            opt.zero_grad()
            total += out.loss.item()
        print(f"epoch {epoch}: loss {total / len(train_dl):.4f}  valid acc {accuracy(model, valid_dl):.3f}")

    model.save_pretrained("out/router")
    tokenizer.save_pretrained("out/router")


if __name__ == "__main__":
    main()
