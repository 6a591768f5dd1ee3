import argparse

import torch
import yaml
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from torch.utils.data import DataLoader, TensorDataset

from features import load_splits
from net import ChurnNet


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--config", default="churn.yaml")
    return p.parse_args()


def fit(net, loader, cfg, pos_weight):
    loss_fn = torch.nn.BCEWithLogitsLoss(pos_weight=pos_weight)
    opt = torch.optim.Adam(net.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        net.train()
        running = 0.0
        for xb, yb in loader:
            opt.zero_grad()
            loss = loss_fn(net(xb), yb)
            loss.backward()
            opt.step()
            running += loss.item()
        if (epoch + 1) % 4 == 0:
            print(f"epoch {epoch + 1:2d} loss {running / len(loader):.4f}")


def score(net, X):
    net.eval()
    with torch.no_grad():
        return torch.sigmoid(net(torch.from_numpy(X))).numpy()


def main():
    args = parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    torch.manual_seed(cfg["data"]["seed"])

    X_train, X_test, y_train, y_test, pre = load_splits(cfg["data"])
    print("feature matrix", X_train.shape)

    baseline = LogisticRegression(max_iter=500).fit(X_train, y_train)
    base_auc = roc_auc_score(y_train, baseline.predict_proba(X_train)[:, 1])
    print(f"logistic regression train AUC {base_auc:.3f}")

    ds = TensorDataset(torch.from_numpy(X_train), torch.from_numpy(y_train))
    loader = DataLoader(ds, batch_size=cfg["train"]["batch_size"], shuffle=True, drop_last=True)
    net = ChurnNet(X_train.shape[1], **cfg["net"])
    pos_weight = torch.tensor((1 - y_train.mean()) / y_train.mean())
    fit(net, loader, cfg["train"], pos_weight)

    print(f"net train AUC {roc_auc_score(y_train, score(net, X_train)):.3f}")
    print(f"net test AUC  {roc_auc_score(y_test, score(net, X_test)):.3f}")


if __name__ == "__main__":
    main()
