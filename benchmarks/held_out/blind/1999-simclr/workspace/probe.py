import torch
from sklearn.linear_model import LogisticRegression
from torch.utils.data import DataLoader


@torch.no_grad()
def embed(encoder, dataset):
    encoder.eval()
    feats, labels = [], []
    for x, y in DataLoader(dataset, 64):
        feats.append(encoder(x))
        labels.append(y)
    return torch.cat(feats).numpy(), torch.cat(labels).numpy()


def linear_probe(encoder, train_set, test_set):
    xa, ya = embed(encoder, train_set)
    xb, yb = embed(encoder, test_set)
    mean, std = xa.mean(0), xa.std(0) + 1e-6
    clf = LogisticRegression(max_iter=200).fit((xa - mean) / std, ya)
    return clf.score((xb - mean) / std, yb)
