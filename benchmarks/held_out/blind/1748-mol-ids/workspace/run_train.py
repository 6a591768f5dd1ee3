import os
import random
import sys

import torch
from torch.utils.data import DataLoader

from molprop.datasets import MoleculeSet, pad_graphs
from molprop.datasets.molecules import ELEMENTS
from molprop.engine.fit import Fitter
from molprop.nets import DenseMPNN
from molprop.utils.config import get_experiment


def split_ids(ids, fraction, seed):
    ids = sorted(ids)
    random.Random(seed).shuffle(ids)
    cut = int(len(ids) * fraction)
    return ids[cut:], ids[:cut]


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "baseline"
    cfg = get_experiment(name)
    torch.manual_seed(cfg.seed)
    full = MoleculeSet(cfg.folder, cfg.tasks)
    train_ids, val_ids = split_ids(full.ids, 0.2, cfg.seed)
    train, val = full.subset(train_ids), full.subset(val_ids)
    train_loader = DataLoader(train, cfg.batch_size, shuffle=True, collate_fn=pad_graphs)
    val_loader = DataLoader(val, cfg.batch_size, collate_fn=pad_graphs)

    net = DenseMPNN(len(ELEMENTS) + 1, len(cfg.tasks), **vars(cfg.net))
    fitter = Fitter(net, train.target_stats(), cfg)
    fitter.run(train_loader, val_loader)

    os.makedirs("out", exist_ok=True)
    torch.save({"net": fitter.ema.shadow.state_dict(), "mean": fitter.mean, "std": fitter.std, "val_ids": val_ids},
               f"out/{name}.pt")


if __name__ == "__main__":
    main()
