import os

import torch
from torch import nn

from .registry import OPTIMIZERS

OPTIMIZERS["adam"] = torch.optim.Adam
OPTIMIZERS["sgd"] = torch.optim.SGD


class Meter:
    def __init__(self):
        self.total = 0.0
        self.count = 0

    def update(self, value, n):
        self.total += value * n
        self.count += n

    @property
    def avg(self):
        return self.total / max(self.count, 1)


class Trainer:
    def __init__(self, model, optimizer, loaders, cfg):
        self.model = model
        self.optimizer = optimizer
        self.train_loader, self.val_loader = loaders
        self.cfg = cfg
        self.criterion = nn.CrossEntropyLoss()
        self.best = 0.0

    def run_epoch(self, loader, train):
        self.model.train(train)
        loss_m, acc_m = Meter(), Meter()
        with torch.set_grad_enabled(train):
            for x, y in loader:
                logits = self.model(x)
                loss = self.criterion(logits, y)
                if train:
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()
                acc = (logits.argmax(1) == y).float().mean().item()
                loss_m.update(loss.item(), len(y))
                acc_m.update(acc, len(y))
        return loss_m.avg, acc_m.avg

    def fit(self):
        for epoch in range(self.cfg["epochs"]):
            tl, ta = self.run_epoch(self.train_loader, True)
            vl, va = self.run_epoch(self.val_loader, False)
            print(f"epoch {epoch} train_loss {tl:.4f} train_acc {ta:.3f} val_loss {vl:.4f} val_acc {va:.3f}")
            if va >= self.best:
                self.best = va
                self.save()
        return self.best

    def save(self):
        path = self.cfg["ckpt"]
        os.makedirs(os.path.dirname(path), exist_ok=True)
        torch.save(self.model.state_dict(), path)
