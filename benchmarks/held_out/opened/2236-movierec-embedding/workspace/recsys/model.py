import torch
from torch import nn


class BiasedMF(nn.Module):
    def __init__(self, n_users, n_movies, factors, mean):
        super().__init__()
        self.user = nn.Embedding(n_users, factors)
        self.movie = nn.Embedding(n_movies, factors)
        self.user_bias = nn.Embedding(n_users, 1)
        self.movie_bias = nn.Embedding(n_movies, 1)
        self.register_buffer("mean", torch.tensor(mean))
        for emb in (self.user, self.movie):
            nn.init.normal_(emb.weight, std=0.05)
        for emb in (self.user_bias, self.movie_bias):
            nn.init.zeros_(emb.weight)

    def forward(self, users, movies):
        dot = (self.user(users) * self.movie(movies)).sum(-1)
        bias = self.user_bias(users) + self.movie_bias(movies)
        return self.mean + dot + bias.squeeze(-1)
