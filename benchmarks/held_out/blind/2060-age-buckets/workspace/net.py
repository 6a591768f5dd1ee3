import torch
import torch.nn as nn

from buckets import AGE_NAMES, INCOME_EDGES


class AgeNet(nn.Module):
    def __init__(self, n_items, hidden=32):
        super().__init__()
        self.income = nn.Embedding(len(INCOME_EDGES) + 1, 4)
        self.body = nn.Sequential(nn.Linear(n_items + 4, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.out = nn.Linear(hidden, len(AGE_NAMES))

    def forward(self, batch):
        x = torch.cat([batch["answers"], self.income(batch["income"])], dim=1)
        return self.out(self.body(x))
