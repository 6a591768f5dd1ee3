# metric: micro f1 ([\d.]+) higher
# config: settings.yaml
import numpy as np
import torch
import torch.nn as nn
import yaml
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import f1_score
from torch.utils.data import DataLoader, TensorDataset


def load_config(path):
    with open(path) as stream:
        return yaml.safe_load(stream)


def build_model(cfg):
    blocks = []
    size = 20
    for width in cfg["model"]["widths"]:
        blocks += [nn.Linear(size, width), nn.ReLU()]
        size = width
    blocks.append(nn.Linear(size, 5))
    return nn.Sequential(*blocks)


def main():
    cfg = load_config("settings.yaml")
    torch.manual_seed(cfg["seed"])
    x, y = make_multilabel_classification(
        n_samples=2000, n_features=20, n_classes=5, n_labels=2, random_state=cfg["seed"]
    )
    x = (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-7)
    x = torch.tensor(x, dtype=torch.float)
    y = torch.tensor(y, dtype=torch.float)
    loader = DataLoader(
        TensorDataset(x[:1600], y[:1600]), batch_size=cfg["training"]["batch_size"], shuffle=True
    )
    model = build_model(cfg)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["training"]["learning_rate"])
    for epoch in range(cfg["training"]["epochs"]):
        model.train()
        mean = 0.0
        for xb, yb in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            mean += loss.item() / len(loader)
        print("epoch", epoch, "loss", round(mean, 4))
    model.eval()
    with torch.inference_mode():
        predicted = torch.sigmoid(model(x[1600:])) > 0.5
    print(f"micro f1 {f1_score(y[1600:].numpy(), predicted.numpy(), average='micro'):.4f}")


main()
