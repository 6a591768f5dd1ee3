import sys
import tomllib

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import digits.models
from digits.registry import MODELS
from digits.transforms import Compose


def load(seed):
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x, dtype=torch.float32).view(-1, 1, 8, 8)
    y = torch.tensor(y)
    tr, te = train_test_split(range(len(y)), test_size=0.25, random_state=seed, stratify=y.numpy())
    return (x[tr], y[tr]), (x[te], y[te])


def train(cfg):
    torch.manual_seed(cfg["seed"])
    (x_tr, y_tr), (x_te, y_te) = load(cfg["seed"])
    tf_train, tf_test = Compose(cfg["train_transforms"]), Compose(cfg["test_transforms"])
    model = MODELS.build(cfg["model"])
    tc = cfg["train"]
    opt = torch.optim.AdamW(model.parameters(), lr=tc["lr"])
    print(f"{type(model).__name__}: {sum(p.numel() for p in model.parameters())} parameters")
    for epoch in range(tc["epochs"]):
        model.train()
        losses = []
        for idx in torch.randperm(len(y_tr)).split(tc["batch_size"]):
            loss = F.cross_entropy(model(tf_train(x_tr[idx])), y_tr[idx], label_smoothing=tc["label_smoothing"])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            acc = (model(tf_test(x_te)).argmax(1) == y_te).float().mean().item()
        print(f"  epoch {epoch}: loss {sum(losses) / len(losses):.4f}  test acc {acc:.4f}")


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as f:
        config = tomllib.load(f)
    print(f"== {config['title']}")
    train(config)
