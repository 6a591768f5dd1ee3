from pathlib import Path

ROOT = Path(__file__).resolve().parent
CSV = ROOT / "data" / "hourly.csv"
CACHE = ROOT / "cache"

FEATURES = ["cnt", "temp", "hour_sin", "hour_cos"]
TARGET = "cnt"

LOOKBACK = 36      # hours the net sees
HORIZON = 6        # hours ahead
STEP = 3
VAL_PART = 0.2

EPOCHS = 6
BATCH = 16
UNITS = 24
