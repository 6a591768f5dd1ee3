# %% [markdown]
# # Bike counter, bridge station
# How many bikes will pass tomorrow? Exported from the notebook with jupytext.
#
# The readings come from the city's counter (hourly), the weather is daily.

# %%
import warnings
from io import StringIO

import numpy as np
import pandas as pd
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.dummy import DummyRegressor
from sklearn.inspection import permutation_importance
from sklearn.linear_model import RidgeCV
from sklearn.metrics import mean_absolute_error, mean_absolute_percentage_error
from sklearn.model_selection import TimeSeriesSplit, cross_validate
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, SplineTransformer, StandardScaler

pd.set_option("display.width", 120, "display.max_columns", 20)
SEED = 31
rng = np.random.default_rng(SEED)

# %% [markdown]
# ## Load
# (The original read two CSVs from the open data portal, here they are simulated.)

# %%
days = pd.date_range("2023-01-01", "2024-06-30", freq="D")
doy = days.dayofyear.to_numpy()
weather = pd.DataFrame({
    "day": days,
    "t_max": 12 - 10 * np.cos(2 * np.pi * (doy - 20) / 365) + rng.normal(0, 3, len(days)),
    "rain_mm": np.where(rng.random(len(days)) < 0.4, rng.gamma(1.2, 4, len(days)), 0),
}).round(1)

level = 900 + 45 * weather["t_max"] - 22 * weather["rain_mm"].clip(upper=25)
level *= np.where(days.dayofweek < 5, 1.25, 0.8)
drift = pd.Series(rng.normal(0, 60, len(days))).ewm(span=5).mean().to_numpy()
daily = (level + drift * 4).clip(lower=80).to_numpy()
profile = np.exp(-0.5 * ((np.arange(24) - 8) / 1.5) ** 2) + np.exp(-0.5 * ((np.arange(24) - 17.5) / 2) ** 2) + 0.05
profile /= profile.sum()
hourly = pd.DataFrame({
    "ts": np.repeat(days, 24) + pd.to_timedelta(np.tile(np.arange(24), len(days)), unit="h"),
    "bikes": rng.poisson(np.outer(daily, profile)).ravel(),
})
hourly.sample(3, random_state=1)

# %%
school_holidays = pd.read_csv(StringIO("""
start,end
2023-04-03,2023-04-15
2023-07-10,2023-08-19
2023-12-21,2024-01-05
2024-03-25,2024-04-06
"""), parse_dates=["start", "end"])

# %% [markdown]
# ## One row a day

# %%
table = (
    hourly.set_index("ts")["bikes"]
    .resample("D")
    .agg(["sum", lambda h: h.between_time("06:00", "09:59").sum()])
    .set_axis(["bikes", "morning"], axis=1)
    .rename_axis("day")
    .reset_index()
    .merge(weather, on="day", validate="one_to_one")
)
periods = pd.IntervalIndex.from_arrays(school_holidays["start"], school_holidays["end"], closed="both")
table["holiday"] = [periods.contains(d).any() for d in table["day"]]
table["weekday"] = table["day"].dt.day_name().str[:3]
table["doy"] = table["day"].dt.dayofyear

# what is known the evening before
table["lag_1"] = table["bikes"].shift(1)
table["lag_7"] = table["bikes"].shift(7)
table["morning_share_1"] = (table["morning"] / table["bikes"]).shift(1)
table["mean_28"] = table["bikes"].shift(1).rolling(28).mean()
print(table.describe().T[["count", "mean", "min", "max"]].round(1))

# %%
by_weekday = table.pivot_table(index="weekday", columns="holiday", values="bikes", aggfunc="median")
print(by_weekday.reindex("Mon Tue Wed Thu Fri Sat Sun".split()))

# %% [markdown]
# ## Models

# %%
numeric = ["t_max", "rain_mm", "lag_1", "lag_7", "mean_28", "morning_share_1"]
features = make_column_transformer(
    (StandardScaler(), numeric),
    (OneHotEncoder(sparse_output=False), ["weekday", "holiday"]),
    (SplineTransformer(n_knots=5, extrapolation="periodic"), ["doy"]),
)
candidates = {
    "median": DummyRegressor(strategy="median"),
    "ridge": make_pipeline(features, RidgeCV(np.logspace(-2, 3, 11))),
    "log ridge": TransformedTargetRegressor(
        make_pipeline(features, RidgeCV(np.logspace(-2, 3, 11))), func=np.log1p, inverse_func=np.expm1
    ),
    "neighbours": make_pipeline(features, KNeighborsRegressor(9, weights="distance")),
}

X, y = table.drop(columns=["bikes", "morning", "day"]), table["bikes"]
cutoff = table["day"].searchsorted(pd.Timestamp("2024-05-01"))
X_train, X_test = X.iloc[:cutoff], X.iloc[cutoff:]
y_train, y_test = y.iloc[:cutoff], y.iloc[cutoff:]

folds = TimeSeriesSplit(n_splits=4, test_size=28)
scores = {}
for name, model in candidates.items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=UserWarning)
        cv = cross_validate(
            model, X_train, y_train, cv=folds,
            scoring={"mae": "neg_mean_absolute_error", "r2": "r2"}, error_score="raise",
        )
    scores[name] = {"mae": -cv["test_mae"].mean(), "r2": cv["test_r2"].mean()}
scores = pd.DataFrame(scores).T.sort_values("mae")
print(scores.round(3))

# %% [markdown]
# ## The best one on May and June 2024

# %%
best = candidates[scores.index[0]].fit(X_train, y_train)
pred = pd.Series(best.predict(X_test), index=X_test.index)
last_week = table.loc[X_test.index, "lag_7"]
print(f"{scores.index[0]}: mae {mean_absolute_error(y_test, pred):.0f}, "
      f"mape {mean_absolute_percentage_error(y_test, pred):.1%}; "
      f"same as last week: mae {mean_absolute_error(y_test, last_week):.0f}")

imp = permutation_importance(best, X_test, y_test, n_repeats=4, random_state=SEED,
                             scoring="neg_mean_absolute_error")
print(pd.Series(imp.importances_mean, index=X.columns).nlargest(5).round(1).to_string())
