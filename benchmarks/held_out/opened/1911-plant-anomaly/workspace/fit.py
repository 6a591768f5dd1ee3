import sys
import tomllib

import torch

from autoencoder import DenoisingAE
from prepare import Standardize, split_by_time, to_tensor
from sources import read_all


def main(path="plants.toml"):
    with open(path, "rb") as f:
        cfg = tomllib.load(f)
    torch.manual_seed(42)
    df = read_all(cfg)
    print(df.groupby("plant").size().to_dict(), "rows,", df[cfg["features"]["time"]].min(), "to", df[cfg["features"]["time"]].max())
    cols = cfg["features"]["columns"]
    early, late = split_by_time(df)
    raw = to_tensor(early, cols)
    scale = Standardize(raw)
    x = scale(raw)

    m, f = cfg["model"], cfg["fit"]
    ae = DenoisingAE(len(cols), m["hidden"], m["latent"], m["noise"])
    opt = torch.optim.Adam(ae.parameters(), lr=f["lr"])
    for epoch in range(f["epochs"]):
        ae.train()
        losses = []
        for idx in torch.randperm(len(x)).split(f["batch"]):
            loss = (ae(x[idx]) - x[idx]).square().mean()
            opt.zero_grad(); loss.backward(); opt.step()
            losses.append(loss.item())
        if epoch % 3 == 2:
            print(f"epoch {epoch + 1:3d} mse {sum(losses) / len(losses):.4f}")

    limit = ae.score(x).quantile(f["alarm_quantile"])
    s = ae.score(scale(to_tensor(late, cols)))
    alarms = late[(s > limit).numpy()]
    print(f"limit {limit:.3f}; {len(alarms)} alarms in {len(late)} rows:", alarms.groupby("plant").size().to_dict())


if __name__ == "__main__":
    main(*sys.argv[1:])
