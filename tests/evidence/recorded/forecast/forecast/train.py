import json
import sys

import torch
from torch.utils.data import DataLoader

from forecast.data import LoadDataset, Window
from forecast.model import Forecaster


def fit(settings):
    window = Window(**settings["window"])
    data = LoadDataset(settings["data"], window)
    loader = DataLoader(data, batch_size=settings["batch_size"])
    model = Forecaster(window.past, window.horizon)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings["lr"])
    for epoch in range(settings["epochs"]):
        total = 0.0
        for past, target in loader:
            loss = torch.nn.functional.mse_loss(model(past), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / len(loader):.4f}")


def main():
    with open(sys.argv[1]) as stream:
        settings = json.load(stream)
    fit(settings)


if __name__ == "__main__":
    main()
