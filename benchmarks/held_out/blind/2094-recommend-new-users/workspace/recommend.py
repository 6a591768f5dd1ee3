# Matrix factorisation for movie ratings
#
# Last 20 % of the ratings (by time) are the validation set.
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader

torch.manual_seed(0)

ratings = pd.read_csv("data/ratings.csv").sort_values("timestamp")
cut = int(0.8 * len(ratings))
train = ratings.iloc[:cut].copy()
valid = ratings.iloc[cut:].copy()

user_idx = {u: i for i, u in enumerate(train["userId"].unique())}
movie_idx = {m: i for i, m in enumerate(train["movieId"].unique())}
n_users, n_movies = len(user_idx), len(movie_idx)
print(f"{n_users} users, {n_movies} movies, {len(train)} train, {len(valid)} valid")

for part in (train, valid):
    part["u"] = part["userId"].map(user_idx).astype(int)
    part["m"] = part["movieId"].map(movie_idx).astype(int)


class RatingData(Dataset):
    def __init__(self, df):
        self.users = torch.tensor(df["u"].values, dtype=torch.long)
        self.movies = torch.tensor(df["m"].values, dtype=torch.long)
        self.ratings = torch.tensor(df["rating"].values, dtype=torch.float32)

    def __len__(self):
        return len(self.ratings)

    def __getitem__(self, i):
        return self.users[i], self.movies[i], self.ratings[i]


class MF(nn.Module):
    def __init__(self, n_users, n_movies, k=8, mean=0.0):
        super().__init__()
        self.P = nn.Embedding(n_users, k)
        self.Q = nn.Embedding(n_movies, k)
        self.bu = nn.Embedding(n_users, 1)
        self.bm = nn.Embedding(n_movies, 1)
        self.mean = mean
        nn.init.normal_(self.P.weight, std=0.05)
        nn.init.normal_(self.Q.weight, std=0.05)
        nn.init.zeros_(self.bu.weight)
        nn.init.zeros_(self.bm.weight)

    def forward(self, user, movie):
        dot = (self.P(user) * self.Q(movie)).sum(1)
        return dot + self.bu(user).squeeze(1) + self.bm(movie).squeeze(1) + self.mean


model = MF(n_users, n_movies, mean=train["rating"].mean())
opt = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=1e-4)
mse = nn.MSELoss()
train_loader = DataLoader(RatingData(train), batch_size=64, shuffle=True)
valid_loader = DataLoader(RatingData(valid), batch_size=256)


def run(loader, training):
    model.train(training)
    se, n = 0.0, 0
    with torch.set_grad_enabled(training):
        for user, movie, rating in loader:
            pred = model(user, movie)
            loss = mse(pred, rating)
            if training:
                opt.zero_grad()
                loss.backward()
                opt.step()
            se += loss.item() * len(rating)
            n += len(rating)
    return np.sqrt(se / n)


for epoch in range(6):
    tr = run(train_loader, True)
    va = run(valid_loader, False)
    print(f"epoch {epoch + 1} train rmse {tr:.4f} valid rmse {va:.4f}")


def recommend(user_id, n=5):
    seen = set(ratings.loc[ratings["userId"] == user_id, "movieId"])
    movies = [m for m in movie_idx if m not in seen]
    u = torch.full((len(movies),), user_idx[user_id])
    with torch.no_grad():
        score = model(u, torch.tensor([movie_idx[m] for m in movies]))
    best = score.topk(n).indices.tolist()
    return [movies[i] for i in best]


print("for user 103:", recommend(103))
