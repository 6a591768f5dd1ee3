import argparse
import json

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from kws.audio import LogMel
from kws.data import Commands, collate
from kws.net import TDNN

ap = argparse.ArgumentParser("keyword spotting")
ap.add_argument("--params", default="params.json")
ap.add_argument("--manifest", default="manifest.csv")
ap.add_argument("--epochs", type=int)
opt = ap.parse_args()

with open(opt.params) as fh:
    P = json.load(fh)
if opt.epochs:
    P["epochs"] = opt.epochs

torch.manual_seed(0)
frontend = LogMel(P)
train = DataLoader(Commands(opt.manifest, "train", P, frontend), P["batch"], shuffle=True, collate_fn=collate)
test = DataLoader(Commands(opt.manifest, "test", P, frontend), P["batch"], collate_fn=collate)
net = TDNN(P["n_mels"], P["channels"], len(P["words"]))
adam = torch.optim.Adam(net.parameters(), lr=P["lr"])

for ep in range(P["epochs"]):
    net.train()
    run = 0.0
    for feats, frames, y in train:
        loss = F.cross_entropy(net(feats, frames), y)
        adam.zero_grad()
        loss.backward()
        adam.step()
        run += loss.item() * len(y)
    if ep % 4 == 3:
        print("epoch", ep + 1, "loss", round(run / len(train.dataset), 4))

net.eval()
hits = 0
with torch.no_grad():
    for feats, frames, y in test:
        hits += (net(feats, frames).argmax(1) == y).sum().item()
print(f"test accuracy {hits / len(test.dataset):.2%}")
