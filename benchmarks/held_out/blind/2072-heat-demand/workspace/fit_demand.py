import argparse

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import RidgeCV
from sklearn.metrics import mean_absolute_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from table import FEATURES, TARGET, build_table


def split_by_time(df, test_share):
    cut = int(len(df) * (1 - test_share))
    return df.iloc[:cut], df.iloc[cut:]


def candidates(seed):
    yield "ridge", make_pipeline(StandardScaler(), RidgeCV(alphas=np.logspace(-2, 2, 9)))
    yield "hgb", HistGradientBoostingRegressor(max_iter=60, random_state=seed)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--meter", default="raw/meter.csv")
    ap.add_argument("--weather", default="raw/weather.csv")
    ap.add_argument("--test-share", type=float, default=0.25)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    df = build_table(args.meter, args.weather)
    train, test = split_by_time(df, args.test_share)
    print(f"training on {len(train)} hours, testing on {len(test)}")
    for name, model in candidates(args.seed):
        model.fit(train[FEATURES], train[TARGET])
        mae = mean_absolute_error(test[TARGET], model.predict(test[FEATURES]))
        print(f"{name:6s} MAE {mae:.2f} kWh")


if __name__ == "__main__":
    main()
