"""NO2 at street level: linear baseline against a small MLP, rolling-origin evaluation."""
import sys

import numpy as np
import pandas as pd
from sklearn.compose import TransformedTargetRegressor
from sklearn.inspection import permutation_importance
from sklearn.linear_model import RidgeCV
from sklearn.metrics import root_mean_squared_error
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tables


def candidates():
    yield "ridge", make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 3, 12)))
    net = MLPRegressor(hidden_layer_sizes=(24, 12), solver="lbfgs", alpha=0.5, max_iter=250, random_state=0)
    yield "mlp", make_pipeline(StandardScaler(), TransformedTargetRegressor(net, transformer=StandardScaler()))


def rolling_origin(dates, n_folds=3, horizon=14):
    last = dates.max()
    for k in range(n_folds, 0, -1):
        cut = last - pd.Timedelta(days=k * horizon)
        yield dates <= cut, (dates > cut) & (dates <= cut + pd.Timedelta(days=horizon))


def main(n_folds: int = 3):
    X, y = tables.design()
    dates = X.index.get_level_values("date")
    print(f"{X.shape[0]} rows, features: {', '.join(X.columns)}")
    results = {}
    for name, model in candidates():
        scores = []
        for fold, (tr, te) in enumerate(rolling_origin(dates, n_folds)):
            model.fit(X[tr], y[tr])
            rmse = root_mean_squared_error(y[te], model.predict(X[te]))
            scores.append(rmse)
            print(f"{name:<6} fold {fold}: train {tr.sum():4d} test {te.sum():3d} rmse {rmse:.2f}")
        results[name] = (np.mean(scores), model, te)
    best = min(results, key=lambda k: results[k][0])
    _, model, te = results[best]
    imp = permutation_importance(model, X[te], y[te], n_repeats=5, random_state=0)
    order = np.argsort(-imp.importances_mean)
    print("best:", best, {n: round(float(r[0]), 2) for n, r in results.items()})
    print("importance:", ", ".join(f"{X.columns[i]} {imp.importances_mean[i]:.2f}" for i in order[:4]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
