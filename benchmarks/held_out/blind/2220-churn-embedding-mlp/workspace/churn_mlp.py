import numpy as np
import pandas as pd
import torch
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
NUM = ["tenure", "monthly"]
CAT = ["gender", "contract", "payment"]


class ChurnDataset(Dataset):
    def __init__(self, frame, mean, std):
        self.frame = frame
        self.mean = mean
        self.std = std

    def __len__(self):
        return len(self.frame)

    def __getitem__(self, idx):
        row = self.frame.loc[idx]
        num = (row[NUM].astype(float) - self.mean) / self.std
        cat = row[CAT].astype(int)
        return {
            "num": torch.tensor(num.values),
            "cat": torch.tensor(cat.values.astype("int64")),
            "y": torch.tensor(float(row["churn"])),
        }


class ChurnNet(nn.Module):
    def __init__(self, cards, n_num, dim=4):
        super().__init__()
        self.embs = nn.ModuleList([nn.Embedding(c, dim) for c in cards])
        self.head = nn.Sequential(
            nn.Linear(n_num + dim * len(cards), 32), nn.ReLU(), nn.Linear(32, 1)
        )

    def forward(self, num, cat):
        parts = [e(cat[:, i]) for i, e in enumerate(self.embs)]
        return self.head(torch.cat([num] + parts, dim=1)).squeeze(1)


df = pd.read_csv("customers.csv")
df["churn"] = (df["churn"] == "Yes").astype(int)
cards = []
for c in CAT:
    codes, uniques = pd.factorize(df[c])
    df[c] = codes
    cards.append(len(uniques))

train_df, valid_df = train_test_split(df, test_size=0.2, random_state=0, stratify=df["churn"])
train_df = train_df.reset_index(drop=True)
valid_df = valid_df.reset_index(drop=True)
mean, std = train_df[NUM].mean(), train_df[NUM].std()

train_dl = DataLoader(ChurnDataset(train_df, mean, std), batch_size=32, shuffle=True)
valid_dl = DataLoader(ChurnDataset(valid_df, mean, std), batch_size=64)

model = ChurnNet(cards, len(NUM))
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
loss_fn = nn.BCEWithLogitsLoss()

for epoch in range(3):
    model.train()
    for batch in train_dl:
        loss = loss_fn(model(batch["num"], batch["cat"]), batch["y"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    model.eval()
    hits = []
    with torch.no_grad():
        for batch in valid_dl:
            p = torch.sigmoid(model(batch["num"], batch["cat"])) > 0.5
            hits.append((p.float() == batch["y"]).numpy())
    print(f"epoch {epoch} loss {loss.item():.3f} valid acc {np.concatenate(hits).mean():.3f}")
