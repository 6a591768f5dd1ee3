# House prices - simple blend, LB 0.13
import argparse
import time

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import ElasticNetCV, RidgeCV
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler

import fe

SEED = 2023
N_FOLDS = 5


def get_models():
    return {
        "ridge": make_pipeline(RobustScaler(), RidgeCV(alphas=np.logspace(-2, 2, 20))),
        "enet": make_pipeline(RobustScaler(), ElasticNetCV(l1_ratio=[.5, .9, 1], max_iter=20000)),
        "krr": make_pipeline(RobustScaler(), KernelRidge(alpha=1.0, kernel="polynomial", degree=2, coef0=2.5)),
        "gbr": GradientBoostingRegressor(n_estimators=300, learning_rate=0.05, max_depth=3,
                                         subsample=0.7, random_state=SEED),
    }


def rmse(a, b):
    return mean_squared_error(a, b) ** 0.5


def cv_oof(name, model, X, y):
    oof = np.zeros(len(X))
    for tr, va in KFold(N_FOLDS, shuffle=True, random_state=SEED).split(X):
        model.fit(X.iloc[tr], y.iloc[tr])
        oof[va] = model.predict(X.iloc[va])
    print(f"{name:>6s}  cv rmse {rmse(y, oof):.4f}")
    return oof


def best_weights(oofs, y, n=400):
    rng = np.random.default_rng(SEED)
    best = (1e9, None)
    for _ in range(n):
        w = rng.dirichlet(np.ones(oofs.shape[1]))
        s = rmse(y, oofs @ w)
        if s < best[0]:
            best = (s, w)
    return best


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", default="data")
    ap.add_argument("--out", default="submission.csv")
    args = ap.parse_args()

    t0 = time.time()
    train = pd.read_csv(f"{args.data}/train.csv")
    test = pd.read_csv(f"{args.data}/test.csv")
    print("train", train.shape, "test", test.shape)

    # outliers, see the forum thread
    train = train[~((train.GrLivArea > 4000) & (train.SalePrice < 300000))]

    X, y, X_test = fe.prepare(train, test)
    print("features:", X.shape[1], "| nan in train:", int(X.isna().sum().sum()))

    models = get_models()
    oofs = np.column_stack([cv_oof(n, m, X, y) for n, m in models.items()])
    score, w = best_weights(oofs, y)
    print("blend", dict(zip(models, w.round(2))), f"-> {score:.4f}")

    # refit on everything
    preds = []
    for name, m in models.items():
        m.fit(X, y)
        preds.append(m.predict(X_test))
    sub = pd.DataFrame({"Id": test["Id"], "SalePrice": np.expm1(np.column_stack(preds) @ w)})
    sub.to_csv(args.out, index=False)
    print(sub.head())
    print(f"done in {time.time() - t0:.1f}s")
