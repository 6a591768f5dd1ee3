"""Neural collaborative filtering on a small ratings dump (explicit ratings)."""
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

CSV = "ratings.csv"
DIM = 16
EPOCHS = 4
BATCH = 64

torch.manual_seed(0)

# --- data -------------------------------------------------------------
df = pd.read_csv(CSV)
print(df.head())
print("rows:", len(df), "users:", df.user_id.nunique(), "movies:", df.movie_id.nunique())

n_users = int(df.user_id.max()) + 1
n_movies = int(df.movie_id.max()) + 1

users = torch.tensor(df.user_id.values.copy(), dtype=torch.long)
movies = torch.tensor(df.movie_id.values.copy(), dtype=torch.long)
ratings = torch.tensor(df.rating.values.copy(), dtype=torch.float32)

full = TensorDataset(users, movies, ratings)
n_val = len(full) // 5
train_ds, val_ds = random_split(full, [len(full) - n_val, n_val])
train_dl = DataLoader(train_ds, batch_size=BATCH, shuffle=True)
val_dl = DataLoader(val_ds, batch_size=BATCH)


# --- model ------------------------------------------------------------
class NCF(nn.Module):
    def __init__(self, n_users, n_movies, dim):
        super().__init__()
        self.user_emb = nn.Embedding(n_users, dim)
        self.movie_emb = nn.Embedding(n_movies, dim)
        self.user_bias = nn.Embedding(n_users, 1)
        self.movie_bias = nn.Embedding(n_movies, 1)
        self.mlp = nn.Sequential(
            nn.Linear(2 * dim, 32),
            nn.ReLU(),
            nn.Linear(32, 1),
        )

    def forward(self, u, m):
        ue, me = self.user_emb(u), self.movie_emb(m)
        x = torch.cat([ue, me], dim=1)
        out = self.mlp(x) + self.user_bias(u) + self.movie_bias(m)
        return out.squeeze(1)


net = NCF(n_users, n_movies, DIM)
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
criterion = nn.MSELoss()


def rmse(loader):
    net.eval()
    errs = []
    with torch.no_grad():
        for u, m, r in loader:
            errs.append((net(u, m) - r).pow(2))
    return torch.cat(errs).mean().sqrt().item()


# --- train ------------------------------------------------------------
for epoch in range(EPOCHS):
    net.train()
    losses = []
    for u, m, r in train_dl:
        pred = net(u, m)
        loss = criterion(pred, r)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    print("epoch %d | train mse %.3f | val rmse %.3f" % (epoch, np.mean(losses), rmse(val_dl)))


# --- top-5 for one user -------------------------------------------------
def recommend(user_id, k=5):
    net.eval()
    seen = set(df[df.user_id == user_id].movie_id)
    cand = [m for m in sorted(df.movie_id.unique()) if m not in seen]
    with torch.no_grad():
        u = torch.full((len(cand),), user_id, dtype=torch.long)
        scores = net(u, torch.tensor(cand, dtype=torch.long))
    top = scores.topk(k)
    return [(int(cand[i]), round(float(s), 2)) for s, i in zip(top.values, top.indices)]


print("recommendations for user 3:", recommend(3))
