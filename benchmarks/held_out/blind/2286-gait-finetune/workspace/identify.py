"""Walker identification on top of a pretrained encoder."""
import sys

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from gait.encoder import GaitEncoder, WalkerHead
from gait.options import MODEL_KEYS, from_args, resolve
from gait.signals import cohort

ckpt = torch.load(sys.argv[1])
opts = resolve(from_args(sys.argv[2:]), ckpt)
torch.manual_seed(0)
people = range(100, 106)
train = TensorDataset(*cohort(people, 24, opts["window"], opts["axes"], seed=1))
test = TensorDataset(*cohort(people, 8, opts["window"], opts["axes"], seed=2))

encoder = GaitEncoder(**{k: opts[k] for k in MODEL_KEYS})
encoder.load_state_dict(ckpt["encoder"])
model = WalkerHead(encoder, opts["proj"], len(people))
opt = torch.optim.Adam(model.parameters(), lr=opts["lr"])
for epoch in range(opts["epochs"]):
    for x, y in DataLoader(train, opts["batch_size"], shuffle=True):
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        x, y = test.tensors
        acc = (model(x).argmax(1) == y).float().mean().item()
    print(f"identify epoch {epoch} loss {loss.item():.3f} accuracy {acc:.3f}")
