"""Helpers shared by the credit notebooks."""
import pandas as pd

NUMERIC = ["amount", "term", "income", "fico", "burden", "age_days"]
CATEGORICAL = ["purpose", "housing"]
TARGET = "defaulted"


def load(path):
    return pd.read_csv(path, parse_dates=["issued"])


def tidy(frame):
    """Drop rows that underwriting could not complete and implausible scores."""
    frame = frame.dropna(subset=["income", "fico"])
    return frame[frame["fico"].between(550, 850)]


def add_ratios(frame, today="2024-01-01"):
    monthly = frame["amount"] / frame["term"]
    return frame.assign(
        burden=monthly / (frame["income"] / 12),
        age_days=(pd.Timestamp(today) - frame["issued"]).dt.days,
    )


def report(name, model, x, y):
    from sklearn.metrics import average_precision_score, roc_auc_score

    p = model.predict_proba(x)[:, 1]
    print(f"{name:>6}: auc {roc_auc_score(y, p):.3f}  ap {average_precision_score(y, p):.3f}")
