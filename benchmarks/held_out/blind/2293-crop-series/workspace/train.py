import argparse

import torch
from torch.utils.data import DataLoader

from crops.attention import TemporalAttention
from crops.parcels import Parcels
from crops.stats import class_weights, confusion, report

parser = argparse.ArgumentParser()
parser.add_argument("--parcels", type=int, default=500)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--balance", type=float, default=0.0, help="power of the inverse class frequency, 0 = off")
args = parser.parse_args()

torch.manual_seed(19)
train_ds, test_ds = Parcels(args.parcels, 1), Parcels(150, 2)
model = TemporalAttention()
weight = class_weights(train_ds.labels, args.balance) if args.balance > 0 else None
loss_fn = torch.nn.CrossEntropyLoss(weight=weight, label_smoothing=0.05)
opt = torch.optim.AdamW(model.parameters(), lr=5e-3)

if weight is not None:
    print("class weights:", [round(w, 2) for w in weight.tolist()])
for epoch in range(args.epochs):
    model.train()
    for x, y in DataLoader(train_ds, 32, shuffle=True):
        opt.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        m = confusion(model(test_ds.x).argmax(1), test_ds.y)
    print(f"epoch {epoch + 1}: loss {loss.item():.3f} accuracy {m.trace().item() / m.sum().item():.3f}")
report(m)
