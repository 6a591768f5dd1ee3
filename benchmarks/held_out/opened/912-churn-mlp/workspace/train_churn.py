import argparse

import joblib
import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import features


class MLP(nn.Module):
    def __init__(self, n_in, hidden=(32, 16)):
        super().__init__()
        layers, prev = [], n_in
        for h in hidden:
            layers += [nn.Linear(prev, h), nn.ReLU(), nn.Dropout(0.1)]
            prev = h
        layers.append(nn.Linear(prev, 1))
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x).squeeze(-1)


def to_loader(X, y, batch_size, shuffle=False):
    ds = TensorDataset(torch.tensor(X, dtype=torch.float32), torch.tensor(y))
    return DataLoader(ds, batch_size=batch_size, shuffle=shuffle)


def predict(model, loader):
    model.eval()
    scores = []
    with torch.no_grad():
        for xb, _ in loader:
            scores.append(torch.sigmoid(model(xb)).numpy())
    return np.concatenate(scores)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--csv", default="data/customers.csv")
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--out", default="preproc.joblib")
    args = ap.parse_args()
    torch.manual_seed(0)

    X, y = features.load(args.csv)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.15, random_state=0, stratify=y)
    print("train", X_train.shape, "test", X_test.shape, "churn rate %.3f" % y.mean())

    prep = features.make_preprocessor()
    Z_train = prep.fit_transform(X_train)
    Z_test = prep.fit_transform(X_test)
    joblib.dump(prep, args.out)

    train_loader = to_loader(Z_train, y_train, args.batch_size, shuffle=True)
    test_loader = to_loader(Z_test, y_test, args.batch_size)

    model = MLP(Z_train.shape[1])
    pos_weight = torch.tensor((1 - y_train.mean()) / y_train.mean())
    loss_fn = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
    optim = torch.optim.Adam(model.parameters(), lr=args.lr)

    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for xb, yb in train_loader:
            optim.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            optim.step()
            total += loss.item() * len(xb)
        print(f"epoch {epoch} loss {total / len(y_train):.4f}")

    auc = roc_auc_score(y_test, predict(model, test_loader))
    print("test auc %.3f" % auc)


if __name__ == "__main__":
    main()
