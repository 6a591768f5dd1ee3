import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset


class Catalog:
    """Dense item ids and item features."""

    def __init__(self, films, item_ids):
        films = films.set_index("film_id").loc[item_ids]
        self.titles = films["title"].tolist()
        genres = pd.Categorical(films["genre"])
        self.n_genres = len(genres.categories)
        self.genre = torch.as_tensor(genres.codes.astype(np.int64))
        year = films["year"].to_numpy(dtype=np.float32)
        self.year = torch.from_numpy((year - year.mean()) / year.std())

    def __len__(self):
        return len(self.titles)


def load_interactions(ratings_path, films_path, holdout_per_user):
    ratings = pd.read_csv(ratings_path)
    films = pd.read_csv(films_path)
    ratings = ratings[ratings["stars"] >= 4].copy()
    ratings["user"], users = pd.factorize(ratings["user_id"], sort=True)
    ratings["item"], items = pd.factorize(ratings["film_id"], sort=True)
    catalog = Catalog(films, items)
    ratings = ratings.sort_values(["user", "ts"])
    rank = ratings.groupby("user").cumcount(ascending=False)
    train = ratings[rank >= holdout_per_user]
    test = ratings[rank < holdout_per_user]
    return train[["user", "item"]], test[["user", "item"]], len(users), catalog


class PairwiseInteractions(Dataset):
    def __init__(self, frame, n_items, negatives, seed=0):
        self.users = frame["user"].to_numpy()
        self.items = frame["item"].to_numpy()
        self.n_items, self.negatives = n_items, negatives
        self.seen = frame.groupby("user")["item"].agg(set).to_dict()
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.users)

    def __getitem__(self, i):
        u = int(self.users[i])
        neg = []
        while len(neg) < self.negatives:
            j = int(self.rng.integers(self.n_items))
            if j not in self.seen[u]:
                neg.append(j)
        return u, int(self.items[i]), torch.tensor(neg)
