import pandas as pd
import torch
import torch.nn.functional as F
from model import FEATURES, GradeNet

torch.manual_seed(0)
df = pd.read_csv("apples.csv")
classes = sorted(df["grade"].unique())
x = torch.tensor(df[FEATURES].values, dtype=torch.float32)
y = torch.tensor(df["grade"].map(classes.index).values)
net = GradeNet(len(FEATURES), len(classes))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(40):
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
print("loss", loss.item())
torch.save({"epoch": epoch, "state_dict": net.state_dict(), "optimizer": opt.state_dict(), "classes": classes}, "checkpoint.pt")
