import argparse
from pathlib import Path

import torch
import yaml
from torch import nn
from torch.utils.data import DataLoader

from dataset import Tickets, read_meta
from model import QueueClassifier


def run_epoch(model, loader, loss_function, optimizer=None):
    model.train(optimizer is not None)
    total, right, seen = 0.0, 0, 0
    for ids, labels in loader:
        with torch.set_grad_enabled(optimizer is not None):
            logits = model(ids)
            loss = loss_function(logits, labels)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item() * len(labels)
        right += (logits.argmax(1) == labels).sum().item()
        seen += len(labels)
    return total / seen, right / seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="configs/base.yaml")
    config = yaml.safe_load(Path(parser.parse_args().config).read_text())
    torch.manual_seed(0)
    folder = config["data"]["prepared"]
    meta = read_meta(folder)
    training = config["training"]
    loaders = {
        part: DataLoader(Tickets(folder, part), batch_size=training["batch_size"], shuffle=part == "train")
        for part in ("train", "validation")
    }
    model = QueueClassifier(meta["vocab_size"], len(meta["queues"]), **config["model"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=training["lr"])
    loss_function = nn.CrossEntropyLoss()
    for epoch in range(training["epochs"]):
        loss, accuracy = run_epoch(model, loaders["train"], loss_function, optimizer)
        v_loss, v_accuracy = run_epoch(model, loaders["validation"], loss_function)
        print(f"epoch {epoch}: loss {loss:.4f} acc {accuracy:.3f} val_loss {v_loss:.4f} val_acc {v_accuracy:.3f}", flush=True)


if __name__ == "__main__":
    main()
