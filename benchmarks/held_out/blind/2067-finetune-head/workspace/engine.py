import torch
import torch.nn.functional as F


def train_one_epoch(model, loader, optimizer):
    model.train()
    total, n = 0.0, 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y)
        n += len(y)
    return total / n


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    ok = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    return ok / len(loader.dataset)


def fit(model, train, test, optimizer, epochs, tag):
    for epoch in range(1, epochs + 1):
        loss = train_one_epoch(model, train, optimizer)
        print(f"[{tag}] epoch {epoch} loss {loss:.4f} test acc {evaluate(model, test):.3f}", flush=True)
