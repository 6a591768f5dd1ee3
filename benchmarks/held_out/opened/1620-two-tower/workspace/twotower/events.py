import numpy as np
import torch
from torch.utils.data import Dataset


class ListeningEvents(Dataset):
    """(user, recently played tracks, next track) triples from simulated sessions."""

    def __init__(self, n_users=300, n_tracks=400, n_events=5150, history=6, seed=0):
        rng = np.random.default_rng(seed)
        self.n_users, self.n_tracks, self.history = n_users, n_tracks, history
        taste = rng.integers(0, 8, n_users)
        genre = rng.integers(0, 8, n_tracks)
        by_genre = [np.flatnonzero(genre == g) for g in range(8)]
        users = rng.integers(0, n_users, n_events)
        rows = np.empty((n_events, history + 1), np.int64)
        for k, u in enumerate(users):
            own = rng.choice(by_genre[taste[u]], history + 1)
            other = rng.integers(0, n_tracks, history + 1)
            rows[k] = np.where(rng.random(history + 1) < 0.75, own, other)
        self.users = torch.from_numpy(users)
        self.rows = torch.from_numpy(rows) + 1
        lengths = torch.from_numpy(rng.integers(2, history + 1, n_events))
        keep = torch.arange(history)[None] < lengths[:, None]
        self.context = self.rows[:, :history] * keep

    def __len__(self):
        return len(self.users)

    def __getitem__(self, i):
        return self.users[i], self.context[i], self.rows[i, -1]
