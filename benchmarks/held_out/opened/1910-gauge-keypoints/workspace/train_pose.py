import sys
import torch
import yaml
from torch.utils.data import DataLoader

from gauge.dataset import GaugeDataset
from gauge.posenet import PoseNet
from gauge.records import read_annotations
from gauge.targets import decode


def weighted_mse(pred, maps, weight):
    per_map = ((pred - maps) ** 2).mean((2, 3))
    return 100 * (per_map * weight).sum() / weight.sum()


def main():
    cfg = yaml.safe_load(open(sys.argv[1]))
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rec = read_annotations(cfg["annotations"], cfg["keypoints"])
    ids = list(rec)
    cut = int(cfg["train_fraction"] * len(ids))
    train = GaugeDataset({i: rec[i] for i in ids[:cut]}, cfg)
    val = GaugeDataset({i: rec[i] for i in ids[cut:]}, cfg)
    print(f"{len(train)} training pictures, {len(val)} for validation, {cfg['keypoints']}")

    net = PoseNet(len(cfg["keypoints"]), cfg["channels"])
    opt = torch.optim.Adam(net.parameters(), lr=cfg["lr"])
    loader = DataLoader(train, batch_size=cfg["batch_size"], shuffle=True)
    for epoch in range(cfg["epochs"]):
        net.train()
        losses = []
        for img, maps, weight in loader:
            loss = weighted_mse(net(img), maps, weight)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        net.eval()
        with torch.no_grad():
            img, maps, weight = next(iter(DataLoader(val, batch_size=len(val))))
            dist = (decode(net(img)) - decode(maps)).norm(dim=-1)
            err = (dist * weight).sum(0) / weight.sum(0)
        print(f"epoch {epoch} loss {sum(losses) / len(losses):.4f} error " + " ".join(f"{k} {e:.3f}" for k, e in zip(cfg["keypoints"], err)))


if __name__ == "__main__":
    main()
