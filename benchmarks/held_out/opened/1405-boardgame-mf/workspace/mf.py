# Biased matrix factorisation for board-game ratings, with BPR-free explicit loss.
import click
import numpy as np
import pandas as pd
import torch
from torch import nn


class BiasedMF(nn.Module):
    def __init__(self, n_users, n_items, dim, mu):
        super().__init__()
        self.p = nn.Embedding(n_users, dim)
        self.q = nn.Embedding(n_items, dim)
        self.bu = nn.Embedding(n_users, 1)
        self.bi = nn.Embedding(n_items, 1)
        self.register_buffer("mu", torch.tensor(float(mu)))
        for e in (self.p, self.q):
            nn.init.normal_(e.weight, std=0.1)
        for e in (self.bu, self.bi):
            nn.init.zeros_(e.weight)

    def forward(self, u, i):
        dot = (self.p(u) * self.q(i)).sum(-1)
        return self.mu + self.bu(u).squeeze(-1) + self.bi(i).squeeze(-1) + dot

    def penalty(self, u, i):
        return self.p(u).pow(2).mean() + self.q(i).pow(2).mean()

    @torch.no_grad()
    def recommend(self, u, seen, k):
        n = self.q.num_embeddings
        scores = self(torch.full((n,), u), torch.arange(n))
        scores[seen] = -torch.inf
        return scores.topk(k)


def leave_last_out(df, n=3):
    rank = df.groupby("player").cumcount(ascending=False)
    return df[rank >= n], df[rank < n]


def to_tensors(df):
    return (torch.as_tensor(df["u"].to_numpy(copy=True)).long(),
            torch.as_tensor(df["i"].to_numpy(copy=True)).long(),
            torch.as_tensor(df["stars"].to_numpy(dtype=np.float32)))


def batches(tensors, size):
    perm = torch.randperm(len(tensors[0]))
    for idx in perm.split(size):
        yield tuple(t[idx] for t in tensors)


@click.command()
@click.argument("ratings", type=click.Path(exists=True))
@click.option("--dim", default=8, show_default=True)
@click.option("--epochs", default=15, show_default=True)
@click.option("--lr", default=0.02, show_default=True)
@click.option("--reg", default=0.05, show_default=True)
@click.option("--topk", default=5, show_default=True)
def main(ratings, dim, epochs, lr, reg, topk):
    torch.manual_seed(1)
    df = pd.read_csv(ratings)
    players = df["player"].astype("category")
    df["u"] = players.cat.codes
    games = df["game_id"].astype("category")
    df["i"] = df["game_id"]
    n_users, n_items = df["u"].nunique(), df["i"].nunique()
    click.echo(f"{n_users} players, {n_items} games, {len(df)} ratings")

    train_df, test_df = leave_last_out(df)
    train, test = to_tensors(train_df), to_tensors(test_df)
    model = BiasedMF(n_users, n_items, dim, mu=train_df["stars"].mean())
    opt = torch.optim.Adagrad(model.parameters(), lr=lr * 4)

    for ep in range(epochs):
        se = 0.0
        for u, i, r in batches(train, 128):
            pred = model(u, i)
            mse = nn.functional.mse_loss(pred, r)
            loss = mse + reg * model.penalty(u, i)
            opt.zero_grad()
            loss.backward()
            opt.step()
            se += mse.item() * len(r)
        if ep % 5 == 4:
            with torch.no_grad():
                rmse = (model(test[0], test[1]) - test[2]).pow(2).mean().sqrt()
            click.echo(f"epoch {ep + 1:2d} train rmse {(se / len(train[0])) ** 0.5:.3f} test rmse {rmse:.3f}")

    who = 0
    seen = torch.as_tensor(df.loc[df["u"] == who, "i"].to_numpy(copy=True)).long()
    top = model.recommend(who, seen, topk)
    names = games.cat.categories[top.indices.numpy()]
    click.echo("for " + players.cat.categories[who] + ": " + ", ".join(
        f"#{g} ({s:.1f})" for g, s in zip(names, top.values.tolist())))


if __name__ == "__main__":
    main()
