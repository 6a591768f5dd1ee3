import json

import torch
from torch import nn
from torch.utils.data import DataLoader

from collate import collate_reviews
from dataset import ReviewDataset, build_vocab, load_reviews
from model import ReviewGRU


def run_epoch(model, loader, loss_fn, optimizer=None):
    model.train(optimizer is not None)
    total_loss, correct, seen = 0.0, 0, 0
    with torch.set_grad_enabled(optimizer is not None):
        for tokens, lengths, labels in loader:
            logits = model(tokens, lengths)
            loss = loss_fn(logits, labels)
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total_loss += loss.item() * len(labels)
            correct += ((logits > 0).float() == labels).sum().item()
            seen += len(labels)
    return total_loss / seen, correct / seen


def main():
    with open("settings.json") as f:
        settings = json.load(f)
    torch.manual_seed(settings["seed"])

    train_reviews = load_reviews(settings["train_file"])
    valid_reviews = load_reviews(settings["valid_file"])
    vocab = build_vocab(train_reviews, settings["min_count"])
    print(f"{len(train_reviews)} train, {len(valid_reviews)} valid, vocab {len(vocab)}")

    train_loader = DataLoader(
        ReviewDataset(train_reviews, vocab),
        batch_size=settings["batch_size"],
        shuffle=True,
        collate_fn=collate_reviews,
    )
    valid_loader = DataLoader(
        ReviewDataset(valid_reviews, vocab),
        batch_size=settings["batch_size"],
        collate_fn=collate_reviews,
    )

    model = ReviewGRU(len(vocab), settings["embed_dim"], settings["hidden_dim"])
    loss_fn = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=settings["lr"])

    for epoch in range(1, settings["epochs"] + 1):
        train_loss, train_acc = run_epoch(model, train_loader, loss_fn, optimizer)
        valid_loss, valid_acc = run_epoch(model, valid_loader, loss_fn)
        print(
            f"epoch {epoch}: train {train_loss:.3f}/{train_acc:.3f} "
            f"valid {valid_loss:.3f}/{valid_acc:.3f}"
        )


if __name__ == "__main__":
    main()
