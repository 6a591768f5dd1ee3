from pathlib import Path

import numpy as np
import pandas as pd

DATA = Path(__file__).parent / "data"


def stations() -> pd.DataFrame:
    st = pd.read_csv(DATA / "stations.csv", dtype={"code": "string"})
    return (st.rename(columns={"code": "station"})
              .assign(is_traffic=lambda d: d["kind"].eq("traffic").astype(float))
              .drop(columns=["name", "kind"]))


def measurements() -> pd.DataFrame:
    m = pd.read_csv(DATA / "measurements.csv", parse_dates=["date"], dtype={"station": "string"})
    doy = m["date"].dt.dayofyear
    return m.assign(
        season=np.cos(2 * np.pi * doy / 365.25),
        weekend=m["date"].dt.dayofweek.ge(5).astype(float),
        inv_wind=1.0 / (m["wind"] + 0.5),
    )


def design() -> tuple[pd.DataFrame, pd.Series]:
    df = measurements().merge(stations(), on="station", how="left")
    df = df.sort_values(["date", "station"]).set_index(["date", "station"])
    y = df.pop("no2")
    return df.astype(float), y
