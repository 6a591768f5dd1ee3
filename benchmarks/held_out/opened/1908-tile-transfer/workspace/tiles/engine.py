import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader


def make_optimizer(model, lr):
    return torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, nesterov=True)


def accuracy(model, ds):
    x, y = ds.tensors
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def run_epochs(model, opt, train, test, epochs, tag):
    loader = DataLoader(train, batch_size=25, shuffle=True)
    for epoch in range(1, epochs + 1):
        model.train()
        seen, total = 0, 0.0
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
            seen += len(y)
        print(f"{tag} epoch {epoch:2d}/{epochs}  loss {total / seen:.4f}  test acc {accuracy(model, test):.3f}")
