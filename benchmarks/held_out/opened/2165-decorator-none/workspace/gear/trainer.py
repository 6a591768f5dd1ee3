import os

import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, model, optimizer, scheduler, hooks, epochs):
        self.model = model
        self.optimizer = optimizer
        self.scheduler = scheduler
        self.hooks = hooks
        self.epochs = epochs
        self.epoch = 0
        self.step = 0

    def _fire(self, name, *args):
        for h in self.hooks:
            getattr(h, name)(self, *args)

    def resume(self, path):
        if not os.path.exists(path):
            print(f"nothing to resume at {path}")
            return
        state = torch.load(path)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.scheduler.load_state_dict(state["scheduler"])
        self.epoch = state["epoch"] + 1
        self.step = state["step"]
        print(f"resumed after epoch {state['epoch']}")

    def fit(self, train_loader, val_loader):
        self._fire("on_fit_start")
        for self.epoch in range(self.epoch, self.epochs):
            loss = self._train_epoch(train_loader)
            acc = self.evaluate(val_loader)
            self._fire("on_epoch_end", {"train_loss": loss, "val_acc": acc})

    def _train_epoch(self, loader):
        self.model.train()
        total = count = 0
        for x, y in loader:
            loss = F.cross_entropy(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.step += 1
            self._fire("on_step_end")
            total += loss.item() * len(y)
            count += len(y)
        return total / count

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        hits = sum((self.model(x).argmax(-1) == y).sum().item() for x, y in loader)
        return hits / len(loader.dataset)
