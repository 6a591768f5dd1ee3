"""buoy.csv: hourly sea state (significant height, mean period, wind speed, set-up)."""
import numpy as np

rng = np.random.default_rng(21)
n = 900
wind = rng.weibull(2.0, n) * 8
hs = 0.25 * wind**1.1 * rng.lognormal(0, 0.15, n) + 0.2
tm = 3.5 * np.sqrt(hs) + rng.normal(0, 0.3, n)
setup = 0.004 * wind**2 + rng.normal(0, 0.03, n)
with open("buoy.csv", "w") as f:
    f.write("hs,tm,wind,setup\n")
    for r in zip(hs, tm, wind, setup):
        f.write(",".join(f"{v:.3f}" for v in r) + "\n")
