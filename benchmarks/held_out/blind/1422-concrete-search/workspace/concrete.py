"""Compressive strength of concrete mixes: random search over a torch net inside a pipeline."""
import numpy as np
import pandas as pd
from scipy.stats import loguniform, randint
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import KFold, RandomizedSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer

from torch_estimator import TorchMLPRegressor


def mixes(n=600, seed=0):
    r = np.random.default_rng(seed)
    df = pd.DataFrame({
        "cement": r.uniform(120, 520, n), "slag": r.gamma(1.0, 70, n), "ash": r.gamma(1.0, 50, n),
        "water": r.normal(180, 20, n), "plasticizer": r.gamma(1.5, 4, n),
        "coarse": r.normal(970, 75, n), "fine": r.normal(770, 80, n),
        "age": r.choice([3, 7, 14, 28, 56, 90], n).astype(float),
    })
    binder = df.cement + 0.6 * df.slag + 0.4 * df.ash
    strength = 22 * binder / df.water * np.log1p(df.age) / np.log1p(28) + 0.2 * df.plasticizer
    return df, strength + r.normal(0, 2.5, n)


if __name__ == "__main__":
    X, y = mixes()
    X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.2, random_state=0)
    pipe = make_pipeline(PowerTransformer(), TorchMLPRegressor(max_epochs=40))
    space = {
        "torchmlpregressor__hidden_size": randint(8, 48),
        "torchmlpregressor__n_layers": [1, 2, 3],
        "torchmlpregressor__lr": loguniform(1e-3, 3e-2),
        "torchmlpregressor__weight_decay": loguniform(1e-5, 1e-2),
    }
    search = RandomizedSearchCV(pipe, space, n_iter=5, cv=KFold(3, shuffle=True, random_state=0),
                                scoring="neg_mean_absolute_error", random_state=0)
    search.fit(X_tr, y_tr)
    table = pd.DataFrame(search.cv_results_).sort_values("rank_test_score")
    for _, row in table.iterrows():
        p = {k.split("__")[1]: round(float(v), 5) for k, v in row["params"].items()}
        print(f"MAE {-row['mean_test_score']:.2f} +- {row['std_test_score']:.2f}  {p}")
    pred = search.predict(X_te)
    print(f"test MAE {mean_absolute_error(y_te, pred):.2f} MPa, R2 {r2_score(y_te, pred):.3f}")
