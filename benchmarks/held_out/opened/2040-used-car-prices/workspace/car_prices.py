import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

rng = np.random.default_rng(11)


def used_cars(n, brands, weights, year_range):
    df = pd.DataFrame({
        "brand": rng.choice(brands, n, p=weights),
        "fuel": rng.choice(["petrol", "diesel", "hybrid"], n),
        "year": rng.integers(*year_range, n),
        "mileage": rng.gamma(4, 20000, n).round(),
        "engine_cc": rng.choice([1000, 1200, 1600, 2000, 3000], n).astype(float),
    })
    base = df["brand"].map({"ford": 9000, "kia": 8000, "bmw": 16000, "audi": 15500, "tesla": 30000})
    df["price"] = (base + 600 * (df["year"] - 2008) - 0.03 * df["mileage"]
                   + 1.5 * df["engine_cc"] + rng.normal(0, 500, n))
    df.loc[rng.choice(n, n // 20, replace=False), "engine_cc"] = np.nan
    return df


# train on ads collected last year, test on the ones from this spring
train_df = used_cars(400, ["ford", "kia", "bmw", "audi"], [0.35, 0.25, 0.2, 0.2], (2008, 2023))
test_df = used_cars(120, ["ford", "kia", "bmw", "audi", "tesla"], [0.32, 0.25, 0.2, 0.2, 0.03], (2010, 2024))

target = "price"
numeric_features = ["year", "mileage", "engine_cc"]
categorical_features = ["brand", "fuel"]

X_train, y_train = train_df.drop(columns=target), train_df[target]
X_test, y_test = test_df.drop(columns=target), test_df[target]

numeric_transformer = Pipeline(steps=[
    ("imputer", SimpleImputer(strategy="median")),
    ("scaler", StandardScaler()),
])
categorical_transformer = Pipeline(steps=[
    ("imputer", SimpleImputer(strategy="most_frequent")),
    ("onehot", OneHotEncoder()),
])
preprocessor = ColumnTransformer(transformers=[
    ("num", numeric_transformer, numeric_features),
    ("cat", categorical_transformer, categorical_features),
])

reg = Pipeline(steps=[
    ("preprocessor", preprocessor),
    ("regressor", RandomForestRegressor(n_estimators=50, random_state=0)),
])

cv = cross_val_score(reg, X_train, y_train, cv=5, scoring="r2")
print("CV R2: %.3f +/- %.3f" % (cv.mean(), cv.std()))

reg.fit(X_train, y_train)
print("train R2: %.3f" % reg.score(X_train, y_train))

y_pred = reg.predict(X_test)
print("test MAE: %.0f" % mean_absolute_error(y_test, y_pred))
print("test R2: %.3f" % r2_score(y_test, y_pred))
