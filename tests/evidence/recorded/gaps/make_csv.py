import numpy as np
import pandas as pd

rng = np.random.default_rng(5)
temperature = 8 + rng.normal(0, 3, 48)
frame = pd.DataFrame({"hour": np.arange(48), "temperature": temperature.round(2)})
frame.loc[[7, 21], "temperature"] = np.nan
frame.to_csv("weather.csv", index=False)
