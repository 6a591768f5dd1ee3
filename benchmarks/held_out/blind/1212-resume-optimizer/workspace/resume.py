"""Trains two epochs, writes a checkpoint, then resumes from it as the nightly job does."""
import os
import tempfile

import torch

from mf import MatrixFactorization, Trainer

USERS, ITEMS = 500, 300
DEVICE = torch.device("cuda")


def fake_ratings(n=20000, seed=0):
    g = torch.Generator().manual_seed(seed)
    u = torch.randint(0, USERS, (n,), generator=g)
    i = torch.randint(0, ITEMS, (n,), generator=g)
    pu = torch.randn(USERS, 4, generator=g)
    pi = torch.randn(ITEMS, 4, generator=g)
    r = 3.5 + 0.5 * (pu[u] * pi[i]).sum(-1) + 0.2 * torch.randn(n, generator=g)
    return u, i, r.clamp(1, 5)


def build():
    model = MatrixFactorization(USERS, ITEMS)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=1e-5)
    return model, optimizer


def first_run(path, ratings):
    model, optimizer = build()
    model.to(DEVICE)
    trainer = Trainer(model, optimizer, DEVICE)
    trainer.fit(ratings, epochs=2)
    trainer.save(path)


def resume_run(path, ratings):
    state = torch.load(path, map_location="cpu", weights_only=True)
    model, optimizer = build()
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    model.to(DEVICE)
    trainer = Trainer(model, optimizer, DEVICE)
    trainer.epoch = state["epoch"]
    print(f"resumed after epoch {trainer.epoch}")
    trainer.fit(ratings, epochs=2)


def main():
    torch.manual_seed(0)
    ratings = fake_ratings()
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "last.pt")
        first_run(path, ratings)
        resume_run(path, ratings)


if __name__ == "__main__":
    main()
