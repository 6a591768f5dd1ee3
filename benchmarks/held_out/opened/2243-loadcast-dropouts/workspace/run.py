import sys
import tomllib

import torch
from torch.nn.functional import l1_loss

from loadcast.clean import load_series
from loadcast.model import TCN
from loadcast.windows import split


@torch.no_grad()
def validate(model, loader):
    model.eval()
    errors = [(model(x) - y).abs().mean(1) for x, y in loader]
    return torch.cat(errors).mean().item()


def main(path):
    with open(path, "rb") as f:
        cfg = tomllib.load(f)
    fit = cfg["fit"]
    torch.manual_seed(fit["seed"])

    series = load_series(cfg["series"])
    train, val, scale = split(series, cfg["windows"], fit["batch_size"])
    model = TCN(series.shape[1], cfg["windows"]["horizon_hours"], **cfg["model"])
    opt = torch.optim.AdamW(model.parameters(), lr=fit["lr"])
    for epoch in range(fit["epochs"]):
        model.train()
        total = 0.0
        for x, y in train:
            loss = l1_loss(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(
            f"epoch {epoch + 1}: train MAE {scale * total / len(train):.1f} MW"
            f"  val MAE {scale * validate(model, val):.1f} MW"
        )
    torch.save(model.state_dict(), "tcn.pt")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "forecast.toml")
