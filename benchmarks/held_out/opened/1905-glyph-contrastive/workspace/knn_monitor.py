import torch


@torch.no_grad()
def embed(model, loader):
    model.eval()
    feats, labels = [], []
    for im, lab in loader:
        feats.append(model.features(im))
        labels.append(lab)
    return torch.cat(feats), torch.cat(labels)


def knn_predict(bank, bank_labels, query, n_classes, k, tau):
    """Weighted kNN vote: every neighbour votes for its class with exp(sim / tau)."""
    sims = query @ bank.T
    top, idx = sims.topk(k, dim=1)
    weights = (top / tau).exp()
    neigh = bank_labels[idx]
    onehot = torch.zeros(len(query), k, n_classes).scatter_(2, neigh.unsqueeze(-1), 1.0)
    scores = (onehot * weights.unsqueeze(1)).sum(1)
    return scores.argmax(1)


def knn_accuracy(model, bank_loader, query_loader, n_classes, k, tau):
    bank, bank_labels = embed(model, bank_loader)
    query, query_labels = embed(model, query_loader)
    pred = knn_predict(bank, bank_labels, query, n_classes, k, tau)
    return (pred == query_labels).float().mean().item()
