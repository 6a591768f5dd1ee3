# metric: best val acc ([\d.]+) higher
import copy

import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from torch.utils.data import DataLoader, TensorDataset


class FeedForward(nn.Module):
    def __init__(self, n_in, n_hidden, n_out):
        super().__init__()
        self.input = nn.Linear(n_in, n_hidden)
        self.norm = nn.BatchNorm1d(n_hidden)
        self.hidden = nn.Linear(n_hidden, n_hidden)
        self.dropout = nn.Dropout(0.1)
        self.output = nn.Linear(n_hidden, n_out)

    def forward(self, x):
        x = torch.relu(self.norm(self.input(x)))
        x = self.dropout(torch.relu(self.hidden(x)))
        return self.output(x)


class Trainer:
    def __init__(self, model, train_loader, val_loader, lr=0.01, epochs=6):
        self.model = model
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.epochs = epochs
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=epochs)
        self.best, self.best_state = 0.0, None

    def train_epoch(self):
        self.model.train()
        for features, labels in self.train_loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(features), labels)
            loss.backward()
            self.optimizer.step()
        return loss.item()

    def validate(self):
        self.model.eval()
        correct = total = 0
        with torch.no_grad():
            for features, labels in self.val_loader:
                correct += (self.model(features).argmax(-1) == labels).sum().item()
                total += labels.numel()
        return correct / total

    def fit(self):
        for epoch in range(self.epochs):
            loss = self.train_epoch()
            accuracy = self.validate()
            self.scheduler.step()
            if accuracy > self.best:
                self.best, self.best_state = accuracy, copy.deepcopy(self.model.state_dict())
            print(f"epoch={epoch} loss={loss:.4f} acc={accuracy:.4f}")
        self.model.load_state_dict(self.best_state)


def main():
    torch.manual_seed(13)
    X, y = make_classification(
        n_samples=3000, n_features=20, n_informative=12, n_classes=4, class_sep=1.5, random_state=13
    )
    X = torch.tensor(X, dtype=torch.float32)
    X = (X - X.mean(0)) / X.std(0)
    y = torch.tensor(y, dtype=torch.long)
    train_loader = DataLoader(TensorDataset(X[:2400], y[:2400]), batch_size=64, shuffle=True)
    val_loader = DataLoader(TensorDataset(X[2400:], y[2400:]), batch_size=64)
    trainer = Trainer(FeedForward(20, 64, 4), train_loader, val_loader)
    trainer.fit()
    print(f"best val acc {trainer.best:.4f}")


if __name__ == "__main__":
    main()
