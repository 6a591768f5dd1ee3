import json

import pandas as pd
import torch
import torch.nn.functional as F
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder

from model import PlanktonNet

settings = json.load(open("settings.json"))
torch.manual_seed(1)

df = pd.read_csv(settings["train_csv"])
features = [c for c in df.columns if c not in ("particle", "taxon")]
encoder = LabelEncoder()
y = encoder.fit_transform(df["taxon"])
X_tr, X_va, y_tr, y_va = train_test_split(df[features].to_numpy("float32"), y, test_size=0.2, random_state=1)
X_tr, X_va = torch.tensor(X_tr), torch.tensor(X_va)
y_tr, y_va = torch.tensor(y_tr), torch.tensor(y_va)

net = PlanktonNet(len(features), len(encoder.classes_), settings["hidden"], settings["dropout"])
optimizer = torch.optim.Adam(net.parameters(), lr=settings["lr"])
best = 0.0
for epoch in range(settings["epochs"]):
    net.train()
    for idx in torch.randperm(len(X_tr)).split(32):
        optimizer.zero_grad()
        F.cross_entropy(net(X_tr[idx]), y_tr[idx]).backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        acc = (net(X_va).argmax(1) == y_va).float().mean().item()
    if acc > best:
        best = acc
        torch.save(
            {"model": net.state_dict(), "features": features, "classes": encoder.classes_, "acc": acc},
            settings["checkpoint"],
        )
print(f"best validation accuracy {best:.3f}")
