import sys
import pandas as pd
import torch
from model import FEATURES, GradeNet

path = sys.argv[1] if len(sys.argv) > 1 else "new_apples.csv"
checkpoint = torch.load("checkpoint.pt", map_location="cpu")
classes = checkpoint["classes"]

model = GradeNet(n_features=len(FEATURES), n_classes=len(classes))
model.load_state_dict(checkpoint)
model.eval()

df = pd.read_csv(path)
with torch.no_grad():
    prob = model(torch.tensor(df[FEATURES].values, dtype=torch.float32)).softmax(dim=1)
df["grade"] = [classes[i] for i in prob.argmax(dim=1)]
df["confidence"] = prob.max(dim=1).values.numpy().round(3)
df.to_csv("predictions.csv", index=False)
print(df[["grade", "confidence"]].head())
