import torch
import torch.nn.functional as F

from .dataset import load_image


def train_epoch(model, loader, optimizer):
    model.train()
    seen, total = 0, 0.0
    for images, targets in loader:
        logits = model(images)
        loss = F.cross_entropy(logits, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(targets)
        seen += len(targets)
    return total / seen


@torch.no_grad()
def accuracy(model, loader):
    was_training = model.training
    model.eval()
    hits = [(model(x).argmax(1) == y).float() for x, y in loader]
    model.train(was_training)
    return torch.cat(hits).mean().item()


@torch.no_grad()
def classify_file(model, path, size, classes):
    model.eval()
    x = load_image(path, size).unsqueeze(0)
    probs = model(x).softmax(1)[0]
    k = int(probs.argmax())
    return classes[k], float(probs[k])
