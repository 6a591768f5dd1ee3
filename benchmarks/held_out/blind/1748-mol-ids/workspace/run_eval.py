import csv
import sys

import torch
from torch.utils.data import DataLoader

from molprop.datasets import MoleculeSet, pad_graphs
from molprop.datasets.molecules import ELEMENTS
from molprop.nets import DenseMPNN
from molprop.utils.config import get_experiment

name = sys.argv[1] if len(sys.argv) > 1 else "baseline"
cfg = get_experiment(name)
state = torch.load(f"out/{name}.pt")
net = DenseMPNN(len(ELEMENTS) + 1, len(cfg.tasks), **vars(cfg.net))
net.load_state_dict(state["net"])
net.eval()

val = MoleculeSet(cfg.folder, cfg.tasks, ids=state["val_ids"])
rows = []
with torch.no_grad():
    for x, adj, mask, y in DataLoader(val, cfg.batch_size, collate_fn=pad_graphs):
        rows.append(net(x, adj, mask) * state["std"] + state["mean"])
pred = torch.cat(rows)
with open(f"out/{name}_predictions.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["mol_id", *cfg.tasks])
    for mol_id, p in zip(val.ids, pred.tolist()):
        w.writerow([mol_id, *(f"{v:.4f}" for v in p)])
print(f"wrote {len(val)} predictions")
