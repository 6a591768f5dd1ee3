import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

LABELS = {"Yes": 1, "No": 0}


def build_preprocessor(numeric, categorical):
    num = Pipeline([
        ("impute", SimpleImputer(strategy="median")),
        ("scale", StandardScaler()),
    ])
    cat = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer([
        ("num", num, numeric),
        ("cat", cat, categorical),
    ])


def load_splits(cfg):
    df = pd.read_csv(cfg["csv"])
    df = df.drop_duplicates("customer_id")
    target = df[cfg["target"]].map(LABELS)
    inputs = df[cfg["numeric"] + cfg["categorical"]]
    print(f"{len(df)} customers, churn rate {target.mean():.3f}")

    X_train, X_test, y_train, y_test = train_test_split(
        inputs, target,
        test_size=cfg["test_size"], random_state=cfg["seed"], stratify=target,
    )
    pre = build_preprocessor(cfg["numeric"], cfg["categorical"])
    X_train = pre.fit_transform(X_train).astype("float32")
    X_test = pre.transform(X_test).astype("float32")
    return X_train, X_test, y_train.to_numpy("float32"), y_test.to_numpy("float32"), pre
