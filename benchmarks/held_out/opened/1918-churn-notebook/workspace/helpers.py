import pandas as pd

YES_NO = {"Yes": 1, "No": 0}


def load_telco(path):
    df = pd.read_csv(path)
    # blanks for customers in their first month
    df["TotalCharges"] = pd.to_numeric(df["TotalCharges"], errors="coerce").fillna(0.0)
    for c in ["Partner", "PaperlessBilling", "Churn"]:
        df[c] = df[c].map(YES_NO)
    return df.drop(columns="customerID")


def tenure_bucket(s):
    return pd.cut(s, [-1, 6, 12, 24, 48, 999], labels=["0-6", "7-12", "13-24", "25-48", "49+"]).astype(str)


def lift_at(y, p, frac=0.1):
    """Churn rate among the top `frac` scores relative to the base rate"""
    n = max(1, int(len(p) * frac))
    top = pd.Series(p).sort_values(ascending=False).index[:n]
    return float(pd.Series(list(y)).iloc[top].mean() / pd.Series(list(y)).mean())
