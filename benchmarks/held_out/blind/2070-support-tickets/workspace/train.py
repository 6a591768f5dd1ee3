import torch
from torch.utils.data import DataLoader
from transformers import DataCollatorWithPadding, DistilBertConfig, DistilBertForSequenceClassification, set_seed

from tickets import QUEUES, build_splits
from tok import train_tokenizer

EPOCHS = 5
BATCH = 16


def make_model(tokenizer):
    config = DistilBertConfig(
        vocab_size=len(tokenizer), dim=32, n_heads=2, n_layers=1, hidden_dim=64,
        max_position_embeddings=32, dropout=0.0, seq_classif_dropout=0.0,
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(QUEUES),
        id2label=dict(enumerate(QUEUES)),
        label2id={q: i for i, q in enumerate(QUEUES)},
    )
    return DistilBertForSequenceClassification(config)


def encode(splits, tokenizer):
    return splits.map(
        lambda b: tokenizer(b["text"], truncation=True, max_length=32),
        batched=True, remove_columns=["ticket_id", "text"],
    )


def main():
    set_seed(0)
    splits = build_splits("data/tickets.csv", "data/queues.csv")
    tokenizer = train_tokenizer(splits["train"]["text"])
    encoded = encode(splits, tokenizer)
    collate = DataCollatorWithPadding(tokenizer)
    train_dl = DataLoader(encoded["train"], batch_size=BATCH, shuffle=True, collate_fn=collate)
    valid_dl = DataLoader(encoded["validation"], batch_size=BATCH, collate_fn=collate)

    model = make_model(tokenizer)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(EPOCHS):
        model.train()
        for batch in train_dl:
            out = model(**batch)
            out.loss.backward()
            opt.step()
            opt.zero_grad()
        model.eval()
        hits, n = 0, 0
        with torch.no_grad():
            for batch in valid_dl:
                pred = model(**batch).logits.argmax(-1)
                hits += (pred == batch["labels"]).sum().item()
                n += len(pred)
        print(f"epoch {epoch} loss {out.loss.item():.3f} valid acc {hits / n:.3f}")


if __name__ == "__main__":
    main()
