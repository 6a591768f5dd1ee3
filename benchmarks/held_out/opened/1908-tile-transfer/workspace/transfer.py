"""Stage 1: train on the source materials.  Stage 2: new head for the target materials on the frozen features."""
import json
import sys

import torch

from tiles.engine import make_optimizer, run_epochs
from tiles.network import TileNet
from tiles.textures import make_set


def stage_source(cfg, model):
    s = cfg["source"]
    train = make_set(s["materials"], s["n"], cfg["tile"], seed=10)
    test = make_set(s["materials"], 100, cfg["tile"], seed=11)
    run_epochs(model, make_optimizer(model, s["lr"] * 10), train, test, s["epochs"], "source")


def stage_target(cfg, model):
    t = cfg["target"]
    opt = make_optimizer(model, t["lr"])
    train = make_set(t["materials"], t["n"], cfg["tile"], seed=20)
    test = make_set(t["materials"], t["n_test"], cfg["tile"], seed=21)
    if cfg["freeze_backbone"]:
        model.freeze_backbone()
    model.new_head(len(t["materials"]))
    run_epochs(model, opt, train, test, t["epochs"], "target")


def main():
    cfg = json.load(open(sys.argv[1] if len(sys.argv) > 1 else "transfer.json"))
    torch.manual_seed(cfg["seed"])
    torch.set_num_threads(1)
    model = TileNet(len(cfg["source"]["materials"]), cfg["model"]["width"])
    stage_source(cfg, model)
    stage_target(cfg, model)


if __name__ == "__main__":
    main()
