import torch
from torch import nn


class MatrixFactorization(nn.Module):
    def __init__(self, users, items, dim=32):
        super().__init__()
        self.user = nn.Embedding(users, dim)
        self.item = nn.Embedding(items, dim)
        self.user_bias = nn.Embedding(users, 1)
        self.item_bias = nn.Embedding(items, 1)
        for e in (self.user, self.item):
            nn.init.normal_(e.weight, std=0.1)

    def forward(self, u, i):
        dot = (self.user(u) * self.item(i)).sum(-1)
        return 3.5 + dot + self.user_bias(u).squeeze(-1) + self.item_bias(i).squeeze(-1)


class Trainer:
    def __init__(self, model, optimizer, device):
        self.model, self.optimizer, self.device = model, optimizer, device
        self.epoch = 0

    def fit(self, ratings, epochs, batch_size=512):
        u, i, r = (t.to(self.device) for t in ratings)
        for _ in range(epochs):
            total = 0.0
            for idx in torch.randperm(len(r), device=self.device).split(batch_size):
                loss = nn.functional.mse_loss(self.model(u[idx], i[idx]), r[idx])
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item() * len(idx)
            self.epoch += 1
            print(f"epoch {self.epoch}: rmse {(total / len(r)) ** 0.5:.4f}")

    def save(self, path):
        torch.save(
            {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "epoch": self.epoch}, path
        )
