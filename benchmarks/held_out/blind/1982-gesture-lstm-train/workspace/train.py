import argparse
import os

import torch
import yaml
from torch.utils.data import DataLoader, TensorDataset, random_split

from data import read_sequences
from model import build_model


def main(config_path):
    with open(config_path) as f:
        cfg = yaml.safe_load(f)
    torch.manual_seed(cfg["train"]["seed"])

    _, x, y = read_sequences(**cfg["data"])
    dataset = TensorDataset(x, y)
    n_val = len(dataset) // 5
    train_set, val_set = random_split(dataset, [len(dataset) - n_val, n_val])
    loader = DataLoader(train_set, batch_size=cfg["train"]["batch_size"], shuffle=True)
    x_val, y_val = val_set[:]

    model = build_model(cfg)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["train"]["lr"])
    loss_fn = torch.nn.CrossEntropyLoss()

    for epoch in range(cfg["train"]["epochs"]):
        model.train()
        for xb, yb in loader:
            loss = loss_fn(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            acc = (model(x_val).argmax(1) == y_val).float().mean()
        print(f"epoch {epoch + 1:2d} loss {loss.item():.3f} val acc {acc:.3f}")

    os.makedirs(os.path.dirname(cfg["checkpoint"]), exist_ok=True)
    torch.save({"model": model.state_dict(), "epoch": epoch + 1}, cfg["checkpoint"])
    print("saved", cfg["checkpoint"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="configs/train.yaml")
    main(parser.parse_args().config)
