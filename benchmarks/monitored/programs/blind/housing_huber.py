# metric: validation mae ([\d.]+|nan|inf) lower
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    lr: float = 0.005
    epochs: int = 10
    batch_size: int = 32
    hidden: int = 48
    seed: int = 19


class HousePrices(nn.Module):
    def __init__(self, features: int, hidden: int):
        super().__init__()
        self.first = nn.Linear(features, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.price = nn.Linear(hidden, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.nn.functional.elu(self.first(x))
        x = torch.nn.functional.elu(self.second(x))
        return self.price(x)[:, 0]


def train(config: Config):
    torch.manual_seed(config.seed)
    X, y = make_friedman1(n_samples=2000, n_features=10, noise=0.5, random_state=config.seed)
    X = X * np.array([1, 10, 100, 1000, 1, 1, 50, 1, 20, 1])
    X_train, X_valid, y_train, y_valid = train_test_split(X, y, test_size=0.2, random_state=config.seed)
    scaler = StandardScaler().fit(X_train)
    X_train, X_valid = scaler.transform(X_train), scaler.transform(X_valid)
    dataset = TensorDataset(torch.tensor(X_train).float(), torch.tensor(y_train).float())
    loader = DataLoader(dataset, batch_size=config.batch_size, shuffle=True)
    X_valid, y_valid = torch.tensor(X_valid).float(), torch.tensor(y_valid).float()
    model = HousePrices(10, config.hidden)
    optimizer = optim.RMSprop(model.parameters(), lr=config.lr)
    criterion = nn.HuberLoss()
    for epoch in range(config.epochs):
        model.train()
        running_loss = 0.0
        for inputs, prices in loader:
            optimizer.zero_grad()
            predictions = model(inputs)
            loss = criterion(predictions, prices)
            loss.backward()
            optimizer.step()
            running_loss += loss.item()
        model.eval()
        with torch.no_grad():
            mae = (model(X_valid) - y_valid).abs().mean().item()
        print(f"Epoch [{epoch + 1}/{config.epochs}] Loss: {running_loss / len(loader):.4f} MAE: {mae:.4f}")
    return mae


if __name__ == "__main__":
    print(f"validation mae {train(Config()):.4f}")
