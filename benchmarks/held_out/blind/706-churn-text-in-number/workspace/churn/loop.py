import torch
from sklearn.metrics import roc_auc_score
from torch import nn


def train_epoch(model, loader, opt, device):
    crit = nn.BCEWithLogitsLoss()
    model.train()
    total = 0.0
    for num, cat, y in loader:
        num, cat, y = num.to(device), cat.to(device), y.to(device)
        opt.zero_grad()
        loss = crit(model(num, cat), y)
        loss.backward()
        opt.step()
        total += loss.item() * len(y)
    return total / len(loader.dataset)


@torch.no_grad()
def evaluate(model, loader, device):
    model.eval()
    scores, labels = [], []
    for num, cat, y in loader:
        scores.append(torch.sigmoid(model(num.to(device), cat.to(device))).cpu())
        labels.append(y)
    return roc_auc_score(torch.cat(labels).numpy(), torch.cat(scores).numpy())
