import numpy as np
import pandas as pd


def make_frame(houses, hours, seed):
    """Hourly loads of houses with a daily rhythm, colder hours using more; long format."""
    rng = np.random.default_rng(seed)
    time = pd.date_range("2024-01-01", periods=hours, freq="h")
    rhythm = np.sin(2 * np.pi * np.arange(hours) / 24)
    frames = []
    for number in range(houses):
        temperature = 10 + 5 * rhythm + rng.normal(0, 1, hours)
        load = rng.uniform(2, 4) + rhythm - 0.1 * temperature + rng.normal(0, 0.1, hours)
        frames.append(
            pd.DataFrame(
                {"time": time, "house": f"house{number}", "load": load, "temperature": temperature}
            )
        )
    columns = {"load": "float32", "temperature": "float32"}
    return pd.concat(frames, ignore_index=True).astype(columns)
