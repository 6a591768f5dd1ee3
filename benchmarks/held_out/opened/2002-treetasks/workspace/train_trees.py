import argparse

import torch
import yaml
from torch.utils.data import DataLoader

from trees.multitask import MultiTaskNet, multitask_loss
from trees.scoring import score
from trees.table import load_split


def main():
    parser = argparse.ArgumentParser(description="species, height and disease from field measurements")
    parser.add_argument("-c", "--conf", default="conf/trees.yaml")
    args = parser.parse_args()
    with open(args.conf) as fh:
        cfg = yaml.safe_load(fh)

    torch.manual_seed(cfg["seed"])
    print(f"reading {cfg['table']}")
    train, test = load_split(cfg)
    print(f"{len(train)} trees to train on, {len(test)} to test on; tasks: {', '.join(cfg['tasks'])}")
    model = MultiTaskNet(len(cfg["features"]), cfg["trunk"], cfg["dropout"], cfg["tasks"])
    optim = torch.optim.AdamW(model.parameters(), lr=cfg["optim"]["lr"],
                              weight_decay=cfg["optim"]["weight_decay"])
    loader = DataLoader(train, cfg["optim"]["batch_size"], shuffle=True)

    for epoch in range(1, cfg["optim"]["epochs"] + 1):
        model.train()
        for x, targets in loader:
            total, parts = multitask_loss(model(x), targets, cfg["tasks"])
            optim.zero_grad()
            total.backward()
            optim.step()
        if epoch % cfg["report_every"] == 0:
            losses = " ".join(f"{k}={v:.3f}" for k, v in parts.items())
            metrics = " ".join(f"{k}={v:.3f}" for k, v in score(model, test, cfg["tasks"]).items())
            print(f"epoch {epoch:3d} | {losses} | {metrics}")


if __name__ == "__main__":
    main()
