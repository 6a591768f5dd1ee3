from collections import defaultdict

import torch
from torch import nn


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad = patience, float("inf"), 0

    def step(self, value):
        if value < self.best - 1e-4:
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        return self.bad >= self.patience


class Trainer:
    def __init__(self, model, queue_names, lr, label_smoothing=0.05):
        self.model = model
        self.queue_names = queue_names
        self.criterion = nn.CrossEntropyLoss(label_smoothing=label_smoothing)
        self.optimizer = torch.optim.NAdam(model.parameters(), lr=lr)
        self.history = defaultdict(list)

    def _pass(self, loader, train):
        self.model.train(train)
        loss_sum = hits = n = 0
        for tokens, offsets, labels in loader:
            with torch.set_grad_enabled(train):
                logits = self.model(tokens, offsets)
                loss = self.criterion(logits, labels)
            if train:
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            loss_sum += loss.item() * len(labels)
            hits += (logits.argmax(1) == labels).sum().item()
            n += len(labels)
        return loss_sum / n, hits / n

    def fit(self, train_loader, valid_loader, epochs, patience=2):
        stopper = EarlyStopping(patience)
        for epoch in range(epochs):
            tr = self._pass(train_loader, True)
            va = self._pass(valid_loader, False)
            self.history["train"].append(tr)
            self.history["valid"].append(va)
            print(f"epoch {epoch}: train loss {tr[0]:.3f} acc {tr[1]:.3f} | valid loss {va[0]:.3f} acc {va[1]:.3f}")
            if stopper.step(va[0]):
                print("early stop")
                break

    @torch.no_grad()
    def predict(self, tokens):
        self.model.eval()
        logits = self.model(torch.tensor(tokens), torch.tensor([0]))
        prob, idx = logits.softmax(-1).max(-1)
        return self.queue_names[idx.item()], prob.item()
