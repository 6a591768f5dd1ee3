import copy

import torch
import torch.nn.functional as F
from torchmetrics.classification import MulticlassAccuracy, MulticlassConfusionMatrix


class Learner:
    def __init__(self, model, loaders, fit, names):
        self.model = model
        self.train_loader, self.test_loader = loaders
        self.fit_cfg = fit
        self.names = names
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=fit.lr)

    def _train(self):
        self.model.train()
        for x, y in self.train_loader:
            loss = F.cross_entropy(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def _validate(self):
        self.model.eval()
        metric = MulticlassAccuracy(num_classes=len(self.names), average="micro")
        total = 0.0
        for x, y in self.test_loader:
            logits = self.model(x)
            total += F.cross_entropy(logits, y, reduction="sum").item()
            metric.update(logits, y)
        return total / len(self.test_loader.dataset), metric.compute().item()

    def fit(self):
        best_loss, waited = 0.0, 0
        for epoch in range(self.fit_cfg.epochs):
            self._train()
            loss, acc = self._validate()
            print(f"{epoch:02d} val_loss={loss:.4f} val_acc={acc:.3f}")
            if loss < best_loss:
                best_loss, waited = loss, 0
                best_weights = copy.deepcopy(self.model.state_dict())
            else:
                waited += 1
                if waited >= self.fit_cfg.patience:
                    print("no progress, stopping")
                    break
        self.model.load_state_dict(best_weights)
        return best_loss

    @torch.no_grad()
    def confusion(self):
        self.model.eval()
        cm = MulticlassConfusionMatrix(num_classes=len(self.names))
        for x, y in self.test_loader:
            cm.update(self.model(x), y)
        table = cm.compute().tolist()
        print("        " + " ".join(f"{n:>7s}" for n in self.names))
        for name, row in zip(self.names, table):
            print(f"{name:>7s} " + " ".join(f"{v:7d}" for v in row))
