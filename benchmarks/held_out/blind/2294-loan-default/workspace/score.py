"""Score a day of new applications: python score.py risk --day 4"""
import argparse
from pathlib import Path

import joblib
import torch

from features import applications, design_matrix
from mlp import RiskMLP

ap = argparse.ArgumentParser()
ap.add_argument("bundle", type=Path)
ap.add_argument("--day", type=int, default=0)
ap.add_argument("--count", type=int, default=20)
args = ap.parse_args()

ckpt = torch.load(args.bundle / "model.pt")
model = RiskMLP(ckpt["n_in"])
model.load_state_dict(ckpt["state"])
scaler = joblib.load(args.bundle / "scaler.joblib")

today = applications(args.count, seed=9000 + args.day)
x = scaler.transform(design_matrix(today))
today["p_default"] = model.probability(torch.tensor(x, dtype=torch.float32)).numpy()
print(f"day {args.day}: {len(today)} applications")
print(today.sort_values("p_default", ascending=False)[["amount", "income", "purpose", "housing", "p_default"]]
      .head(5).to_string(index=False, float_format="%.3f"))
