import argparse

import torch
import yaml
from torch.nn.functional import mse_loss
from torch.utils.data import DataLoader

from recsys.data import load_ratings
from recsys.model import BiasedMF


@torch.no_grad()
def rmse(model, dataset):
    users, movies, ratings = dataset.tensors
    return mse_loss(model(users, movies), ratings).sqrt().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--ratings", default="data/ratings.csv")
    ap.add_argument("--config", default="mf.yaml")
    args = ap.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)

    torch.manual_seed(cfg["seed"])
    data = load_ratings(args.ratings, cfg["holdout"])
    print(f"train {len(data.train)}  test {len(data.test)}  mean rating {data.mean:.2f}")

    model = BiasedMF(data.n_users, data.n_movies, cfg["factors"], data.mean)
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"], weight_decay=cfg["l2"])
    loader = DataLoader(data.train, batch_size=cfg["batch_size"], shuffle=True)
    for epoch in range(cfg["epochs"]):
        for users, movies, ratings in loader:
            loss = mse_loss(model(users, movies), ratings)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"epoch {epoch}: train {rmse(model, data.train):.3f}  test {rmse(model, data.test):.3f}")
    torch.save(model.state_dict(), "mf.pt")


if __name__ == "__main__":
    main()
