import tomllib
from pathlib import Path

import torch

from loadcast.network import Forecaster
from loadcast.training import fit
from loadcast.windows import make_datasets

HERE = Path(__file__).parent


def main() -> None:
    cfg = tomllib.loads((HERE / "settings.toml").read_text())
    torch.manual_seed(cfg["train"]["seed"])
    train_ds, valid_ds, scaler, col = make_datasets(cfg["data"])
    print(f"{len(train_ds)} training windows, {len(valid_ds)} validation windows")
    model = Forecaster(**cfg["model"], horizon=cfg["data"]["horizon"])
    best = fit(model, train_ds, valid_ds, cfg["train"])
    with torch.no_grad():
        past, future = valid_ds[len(valid_ds) - 1]
        pred = scaler.inverse_target(model(past.unsqueeze(0))[0].numpy(), col)
    print("best valid mse", round(best, 4))
    print("next hours:", pred.round(1).tolist())


if __name__ == "__main__":
    main()
