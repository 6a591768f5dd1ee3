from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

CATEGORICAL = ["region", "plan", "payment"]
NUMERIC = ["tenure_months", "monthly_fee", "support_calls", "fee_per_call"]


def add_columns(df):
    return df.assign(fee_per_call=df["monthly_fee"] / (df["support_calls"] + 1))


def make_preprocessor():
    return ColumnTransformer(
        [
            ("cat", OneHotEncoder(sparse_output=False), CATEGORICAL),
            ("num", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), NUMERIC),
        ]
    )
