import sys
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from columns import CATEGORICAL, NUMERIC, TARGET
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def build_transformer():
    return ColumnTransformer(
        [
            ("num", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), NUMERIC),
            ("cat", OneHotEncoder(handle_unknown="ignore", sparse_output=False), CATEGORICAL),
        ]
    )


def main(build):
    train = pd.read_csv(build / "train.csv")
    test = pd.read_csv(build / "test.csv")

    ct = build_transformer()
    X_train = ct.fit_transform(train)
    X_test = ct.fit_transform(test)

    np.savez_compressed(build / "train.npz", X=X_train, y=train[TARGET].to_numpy())
    np.savez_compressed(build / "test.npz", X=X_test, y=test[TARGET].to_numpy())
    joblib.dump(ct, build / "transformer.joblib")
    print(f"preprocess: {len(NUMERIC)} numeric + {len(CATEGORICAL)} categorical columns -> {X_train.shape[1]} features")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
