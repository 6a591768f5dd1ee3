import argparse
import yaml
import torch

from forecast.fit import mape, run_epoch
from forecast.frame import Scaler, read_frame, split_frame
from forecast.model import LoadGRU
from forecast.windows import loaders


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("config", nargs="?", default="config.yaml")
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def main():
    args = parse()
    cfg = yaml.safe_load(open(args.config))
    torch.manual_seed(args.seed)

    df = read_frame(cfg["csv"])
    parts = split_frame(df, cfg["splits"]["val_from"], cfg["splits"]["test_from"])
    scaler = Scaler().fit(parts[0])
    train, val, test = loaders([scaler.apply(p) for p in parts], cfg)
    print("windows:", len(train.dataset), len(val.dataset), len(test.dataset))

    model = LoadGRU(cfg["n_features"], cfg["hidden"], cfg["horizon"])
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        tr = run_epoch(model, train, opt)
        va = run_epoch(model, val)
        print(f"[{epoch}] train mse {tr:.4f}  val mse {va:.4f}")
    print(f"test MAPE {mape(model, test, scaler, cfg['target']):.2f}%")


main()
