import torch
import torch.nn.functional as F
from sklearn.metrics import roc_auc_score


def train_one_epoch(model, loader, optimizer):
    model.train()
    total = 0.0
    for cat, num, y in loader:
        loss = F.binary_cross_entropy_with_logits(model(cat, num), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y)
    return total / len(loader.dataset)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    scores, targets = [], []
    for cat, num, y in loader:
        scores.append(torch.sigmoid(model(cat, num)))
        targets.append(y)
    return roc_auc_score(torch.cat(targets).numpy(), torch.cat(scores).numpy())
