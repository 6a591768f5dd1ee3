# metric: test rmse ([\d.]+|nan|inf) lower
import numpy as np
import torch
from torch import nn

rng = np.random.RandomState(1)
torch.manual_seed(1)
USERS, ITEMS, FACTORS = 120, 80, 4
true_u, true_i = rng.normal(0, 0.7, (USERS, FACTORS)), rng.normal(0, 0.7, (ITEMS, FACTORS))
user = rng.randint(0, USERS, 6000)
item = rng.randint(0, ITEMS, 6000)
rating = 3 + (true_u[user] * true_i[item]).sum(1) + rng.normal(0, 0.2, 6000)
user, item = torch.tensor(user), torch.tensor(item)
rating = torch.tensor(rating, dtype=torch.float32)
train, test = slice(0, 5000), slice(5000, 6000)


class Factorization(nn.Module):
    def __init__(self, users, items, dim):
        super().__init__()
        self.user_factors = nn.Embedding(users, dim)
        self.item_factors = nn.Embedding(items, dim)
        self.user_bias = nn.Embedding(users, 1)
        self.item_bias = nn.Embedding(items, 1)
        self.offset = nn.Parameter(torch.zeros(1))
        nn.init.normal_(self.user_factors.weight, std=0.1)
        nn.init.normal_(self.item_factors.weight, std=0.1)
        nn.init.zeros_(self.user_bias.weight)
        nn.init.zeros_(self.item_bias.weight)

    def forward(self, user, item):
        dot = (self.user_factors(user) * self.item_factors(item)).sum(1)
        return dot + self.user_bias(user).squeeze(1) + self.item_bias(item).squeeze(1) + self.offset


model = Factorization(USERS, ITEMS, 8)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=1e-5)
criterion = nn.MSELoss()
u, i, r = user[train], item[train], rating[train]
for epoch in range(12):
    model.train()
    order = torch.randperm(len(r))
    total = 0.0
    for batch in order.split(100):
        optimizer.zero_grad()
        loss = criterion(model(u[batch], i[batch]), r[batch])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(batch)
    print(f"epoch {epoch:2d} train mse {total / len(r):.4f}")
model.eval()
with torch.no_grad():
    error = criterion(model(user[test], item[test]), rating[test]).sqrt().item()
print(f"test rmse {error:.4f}")
