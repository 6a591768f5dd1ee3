import sys

import torch

from shoprec.data.events import ItemIndex, leave_one_out, load_sessions
from shoprec.engine.ranking import hit_and_ndcg, ranks
from shoprec.models import MODEL_ZOO

name = sys.argv[1]
saved = torch.load(f"models_out/{name}.pt")
cfg = saved["settings"]
sessions = load_sessions(cfg["events"])
index = ItemIndex(sessions)
assert index.names == saved["items"], "item catalogue changed since training"
_, test = leave_one_out([index.encode(s) for s in sessions])

model = MODEL_ZOO[cfg["model"]](len(index), cfg["max_len"], **cfg["model_args"])
model.load_state_dict(saved["state"])
r = ranks(model, test, cfg["max_len"])
for k in (1, 5, 10):
    hr, ndcg = hit_and_ndcg(r, k)
    print(f"{name}: HR@{k} {hr:.3f} NDCG@{k} {ndcg:.3f}")
