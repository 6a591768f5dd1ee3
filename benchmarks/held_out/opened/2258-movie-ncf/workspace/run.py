import yaml
import torch

from ncf.fit import fit, rmse, top_k
from ncf.model import NCF
from ncf.ratings import leave_last_out, load_ratings, to_tensors

with open("config.yaml") as fh:
    cfg = yaml.safe_load(fh)
torch.manual_seed(cfg["seed"])

df, movies, users = load_ratings(cfg["ratings"])
train_df, test_df = leave_last_out(df)
print(f"{len(df)} ratings, {len(train_df)} for training")

model = NCF(len(users), len(movies), **cfg["model"])
fit(model, to_tensors(train_df), **cfg["train"])
print(f"test rmse {rmse(model, to_tensors(test_df)):.3f}")

names = {i: m for m, i in movies.items()}
who = test_df.iloc[0]
seen = set(train_df.loc[train_df["u"] == who["u"], "i"])
print(who["user"], "->", [names[i] for i in top_k(model, int(who["u"]), len(movies), seen)])
