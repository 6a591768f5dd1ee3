import argparse
from pathlib import Path

import joblib
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from features import applications, design_matrix
from mlp import RiskMLP


def fit(x, y, epochs, lr=5e-3, batch=64):
    torch.manual_seed(0)
    model = RiskMLP(x.shape[1])
    opt = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=1e-4)
    for _ in range(epochs):
        for idx in torch.randperm(len(x)).split(batch):
            loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
    return model


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--bundle", type=Path, default="risk")
    ap.add_argument("--epochs", type=int, default=8)
    args = ap.parse_args()

    df = applications(1500, seed=50)
    x, y = design_matrix(df), df["default"].to_numpy()
    x_tr, x_va, y_tr, y_va = train_test_split(x, y, test_size=0.2, random_state=0, stratify=y)
    scaler = StandardScaler().fit(x_tr)
    as_tensor = lambda a: torch.tensor(scaler.transform(a), dtype=torch.float32)
    model = fit(as_tensor(x_tr), torch.tensor(y_tr, dtype=torch.float32), args.epochs)
    auc = roc_auc_score(y_va, model.probability(as_tensor(x_va)).numpy())
    print(f"{x.shape[1]} features, validation AUC {auc:.3f}")

    args.bundle.mkdir(exist_ok=True)
    joblib.dump(scaler, args.bundle / "scaler.joblib")
    torch.save({"n_in": x.shape[1], "state": model.state_dict()}, args.bundle / "model.pt")
