"""Contrastive pretraining: two windows of the same walker should agree."""
import sys

import torch
import torch.nn.functional as F

from gait.encoder import GaitEncoder
from gait.options import MODEL_KEYS, from_args, resolve
from gait.signals import cohort

opts = resolve(from_args(sys.argv[2:]))
torch.manual_seed(0)
x, _ = cohort(range(20), 8, opts["window"], opts["axes"], seed=0)
x = x.view(20, 8, opts["axes"], opts["window"])
enc = GaitEncoder(**{k: opts[k] for k in MODEL_KEYS})
opt = torch.optim.Adam(enc.parameters(), lr=opts["lr"])
for epoch in range(opts["epochs"]):
    for _ in range(6):
        i, j = torch.randint(8, (2,))
        sim = enc(x[:, i]) @ enc(x[:, j]).T / 0.2
        loss = F.cross_entropy(sim, torch.arange(20))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"pretrain epoch {epoch} nce {loss.item():.3f}")
torch.save({"options": opts, "encoder": enc.state_dict()}, sys.argv[1])
