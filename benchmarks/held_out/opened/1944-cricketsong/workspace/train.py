import argparse

import torch
import torch.nn.functional as F
import yaml
from torch.utils.data import DataLoader, TensorDataset

from features import load_features
from network import SongNet


def loader(cfg, split):
    x, y = load_features(cfg, split)
    data = TensorDataset(torch.from_numpy(x), torch.from_numpy(y).long())
    return DataLoader(data, cfg["train"]["batch_size"], shuffle=split == "train")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("-c", "--config", default="config.yaml")
    cfg = yaml.safe_load(open(ap.parse_args().config))
    torch.manual_seed(cfg["train"]["seed"])
    train, valid = loader(cfg, "train"), loader(cfg, "valid")
    net = SongNet(cfg["features"]["n_bands"], cfg["sound"]["species"], **cfg["model"])
    opt = torch.optim.Adam(net.parameters(), lr=cfg["train"]["lr"])
    for epoch in range(cfg["train"]["epochs"]):
        net.train()
        loss_sum = 0.0
        for x, y in train:
            loss = F.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            loss_sum += loss.item()
        net.eval()
        with torch.no_grad():
            right = sum((net(x).argmax(1) == y).sum().item() for x, y in valid)
        print(f"epoch {epoch} loss {loss_sum / len(train):.3f} valid acc {right / len(valid.dataset):.3f}")


if __name__ == "__main__":
    main()
