import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


def loaders(batch_size, seed=0):
    x, y = load_digits(return_X_y=True)
    xa, xb, ya, yb = train_test_split(x / 16.0, y, test_size=0.25, random_state=seed, stratify=y)
    make = lambda x, y: TensorDataset(torch.tensor(x).float().view(-1, 1, 8, 8), torch.tensor(y))
    return (
        DataLoader(make(xa, ya), batch_size, shuffle=True),
        DataLoader(make(xb, yb), 512),
    )


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hits = [(model(x).argmax(1) == y).float() for x, y in loader]
    return torch.cat(hits).mean().item()
