import pathlib

import torch
import yaml
from torch.utils.data import DataLoader, TensorDataset

from forecaster import Forecaster
from series import Standardizer, load_record, windows


def dataset(frame, cfg):
    x, y = windows(frame, cfg["target"], cfg["context"], cfg["horizon"])
    return TensorDataset(torch.from_numpy(x), torch.from_numpy(y))


def guard(loss, epoch, step):
    if not torch.isfinite(loss):
        raise FloatingPointError(f"loss became {loss.item()} at epoch {epoch}, step {step}")


def main():
    cfg = yaml.safe_load(pathlib.Path(__file__).with_name("settings.yaml").read_text())
    torch.manual_seed(2)

    record = load_record(cfg["hours"])[cfg["features"]]
    cut = int(len(record) * cfg["train_fraction"])
    scale = Standardizer().fit(record.iloc[:cut])
    train_ds = dataset(scale(record.iloc[:cut]), cfg)
    test_ds = dataset(scale(record.iloc[cut:]), cfg)
    print(f"{cfg['station']}: {len(train_ds)} training windows, {len(test_ds)} test windows")

    model = Forecaster(len(cfg["features"]), cfg["hidden"], cfg["horizon"])
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        loader = DataLoader(train_ds, cfg["batch_size"], shuffle=True)
        for step, (x, y) in enumerate(loader):
            loss = torch.nn.functional.smooth_l1_loss(model(x), y)
            if step % cfg["check_every"] == 0:
                guard(loss, epoch, step)
            opt.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()

        with torch.no_grad():
            pred = torch.cat([model(x) for x, _ in DataLoader(test_ds, 256)])
        truth = test_ds.tensors[1]
        err = (scale.invert(pred, "level") - scale.invert(truth, "level")).abs().mean(0)
        print(f"epoch {epoch}: loss {loss.item():.4f}  MAE +1h {err[0]:.3f} m  +{cfg['horizon']}h {err[-1]:.3f} m")


if __name__ == "__main__":
    main()
