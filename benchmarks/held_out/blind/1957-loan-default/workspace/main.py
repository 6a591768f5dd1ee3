import json

import torch
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from torch.utils.data import DataLoader, TensorDataset

import loan_data
from nets import mlp


def run_epoch(model, loader, opt):
    model.train()
    total, count = 0.0, 0
    for xb, yb in loader:
        loss = F.binary_cross_entropy_with_logits(model(xb).squeeze(1), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(xb)
        count += len(xb)
    return total / count


@torch.no_grad()
def evaluate(model, X, y):
    model.eval()
    logits = model(torch.from_numpy(X)).squeeze(1)
    loss = F.binary_cross_entropy_with_logits(logits, torch.from_numpy(y)).item()
    return loss, roc_auc_score(y, logits.numpy())


if __name__ == "__main__":
    with open("params.json") as f:
        p = json.load(f)
    torch.manual_seed(p["seed"])
    (Xt, yt), (Xv, yv) = loan_data.load(p["csv"], p["seed"], p["valid_share"])
    print("train", Xt.shape, "default rate", round(float(yt.mean()), 3))
    print("valid", Xv.shape, "default rate", round(float(yv.mean()), 3))

    baseline = LogisticRegression(max_iter=500).fit(Xt, yt)
    print("logistic baseline AUC", round(roc_auc_score(yv, baseline.decision_function(Xv)), 3))

    model = mlp(Xt.shape[1], p["widths"], p["dropout"])
    opt = torch.optim.AdamW(model.parameters(), lr=p["lr"], weight_decay=p["weight_decay"])
    loader = DataLoader(
        TensorDataset(torch.from_numpy(Xt), torch.from_numpy(yt)), batch_size=p["batch_size"], shuffle=True
    )
    for epoch in range(1, p["epochs"] + 1):
        train_loss = run_epoch(model, loader, opt)
        valid_loss, auc = evaluate(model, Xv, yv)
        print(f"epoch {epoch:2d} | train loss {train_loss:.4f} | valid loss {valid_loss:.4f} | valid AUC {auc:.3f}")
    torch.save({"state": model.state_dict(), "params": p}, "loan_mlp.pt")
