import tomllib

import torch
from sklearn.metrics import roc_auc_score
from torch.nn.functional import binary_cross_entropy_with_logits as bce
from torch.utils.data import DataLoader

from molnet import graphs as G
from molnet.layers import MolNet

with open("config.toml", "rb") as f:
    cfg = tomllib.load(f)

torch.manual_seed(cfg["data"]["seed"])
mols = G.read_molecules(cfg["data"]["path"], cfg["data"]["atoms"])
train, val = G.split(mols, cfg["data"]["val_fraction"], cfg["data"]["seed"])
print(f'{cfg["title"]}: {len(train)} train, {len(val)} val molecules')

train_dl = DataLoader(train, cfg["train"]["batch_size"], shuffle=True, collate_fn=G.collate)
val_dl = DataLoader(val, cfg["train"]["batch_size"], collate_fn=G.collate)

net = MolNet(len(cfg["data"]["atoms"]), **cfg["model"])
opt = torch.optim.Adam(net.parameters(), lr=cfg["train"]["lr"])

for epoch in range(cfg["train"]["epochs"]):
    net.train()
    losses = []
    for x, edges, owner, y in train_dl:
        loss = bce(net(x, edges, owner), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())

    net.eval()
    scores, truth = [], []
    with torch.no_grad():
        for x, edges, owner, y in val_dl:
            scores += net(x, edges, owner).tolist()
            truth += y.tolist()
    print(f"epoch {epoch}: loss {sum(losses) / len(losses):.3f}  val AUC {roc_auc_score(truth, scores):.3f}")
