"""Tasting notes table: chemistry in, price band out."""
import numpy as np
import pandas as pd

FEATURES = ["acidity", "sugar", "sulphates", "alcohol", "ph", "age"]
N_BANDS = 6


def tastings(n=700, seed=31):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "acidity": rng.normal(7, 1.2, n),
        "sugar": rng.gamma(2, 1.3, n),
        "sulphates": rng.normal(0.6, 0.12, n),
        "alcohol": rng.normal(11.5, 1.1, n),
        "ph": rng.normal(3.3, 0.15, n),
        "age": rng.integers(1, 20, n),
    })
    score = 0.6 * (df.alcohol - 11) + 1.5 * (df.sulphates - 0.6) + 0.12 * df.age - 0.2 * (df.acidity - 7)
    df["price"] = np.exp(2.2 + 0.4 * score + rng.normal(0, 0.15, n)).round(2)
    return df


def price_bands(price, n_bands=N_BANDS):
    """Equal-count bands, 0 = cheapest."""
    edges = np.quantile(price, np.linspace(0, 1, n_bands + 1))
    band = np.digitize(price, edges) - 1
    return band.astype("int32"), edges


def arrays(df):
    x = df[FEATURES].to_numpy("float32")
    y, edges = price_bands(df["price"].to_numpy())
    return x, y, edges
