"""Tag street, number and city in delivery notes."""
import os
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
import typer
from datasets import disable_progress_bars
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForTokenClassification, set_seed

from ner.collate import make_collate
from ner.data import encode, load_splits, train_tokenizer
from ner.labels import IGNORE, TAGS

disable_progress_bars()
app = typer.Typer(pretty_exceptions_enable=False)


def build_model(vocab_size, max_length, pad_id):
    config = BertConfig(
        vocab_size=vocab_size,
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=max_length,
        pad_token_id=pad_id,
        num_labels=len(TAGS),
    )
    return BertForTokenClassification(config)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    right = total = 0
    for batch in loader:
        labels = batch.pop("labels")
        pred = model(**batch).logits.argmax(-1)
        keep = labels != IGNORE
        right += (pred[keep] == labels[keep]).sum().item()
        total += keep.sum().item()
    return right / total


@app.command()
def stats(data_dir: str = "data"):
    """Count the tags of both splits."""
    splits = load_splits(data_dir, "cache")
    for name, ds in splits.items():
        flat = [t for row in ds["tags"] for t in row]
        typer.echo(f"{name}: " + ", ".join(f"{t}={flat.count(t)}" for t in TAGS))


@app.command()
def train(
    data_dir: str = "data",
    epochs: int = 4,
    batch_size: int = 24,
    lr: float = 2e-3,
    max_length: int = 48,
    out: Path = Path("model"),
):
    """Train a small tagger from scratch."""
    set_seed(0)
    splits = load_splits(data_dir, "cache")
    tokenizer = train_tokenizer(splits["train"]["tokens"])
    ds = encode(splits, tokenizer, max_length)
    collate = make_collate(tokenizer.pad_token_id)
    train_dl = DataLoader(ds["train"], batch_size, shuffle=True, collate_fn=collate)
    dev_dl = DataLoader(ds["dev"], batch_size, collate_fn=collate)

    model = build_model(len(tokenizer), max_length, tokenizer.pad_token_id)
    opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)
    for epoch in range(1, epochs + 1):
        model.train()
        losses = []
        for batch in train_dl:
            out_ = model(**batch)
            out_.loss.backward()
            opt.step()
            opt.zero_grad()
            losses.append(out_.loss.item())
        typer.echo(f"epoch {epoch}  loss {sum(losses) / len(losses):.4f}  dev acc {evaluate(model, dev_dl):.3f}")
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)


if __name__ == "__main__":
    app()
