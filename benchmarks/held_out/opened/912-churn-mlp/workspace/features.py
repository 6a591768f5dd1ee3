import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

NUM_COLS = ["tenure", "monthly_charges", "n_tickets"]
CAT_COLS = ["city", "plan", "payment"]
LABEL = "churn"


def make_preprocessor():
    numeric = Pipeline([
        ("impute", SimpleImputer(strategy="median")),
        ("scale", StandardScaler()),
    ])
    categorical = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer([
        ("num", numeric, NUM_COLS),
        ("cat", categorical, CAT_COLS),
    ])


def load(path):
    df = pd.read_csv(path)
    y = (df[LABEL] == "yes").astype("float32").to_numpy()
    return df.drop(columns=[LABEL, "customer_id"]), y
