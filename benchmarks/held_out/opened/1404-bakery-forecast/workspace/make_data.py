"""One-off: writes data/sales.csv (kept in the repo)."""
import csv
import datetime as dt
import math
import random

random.seed(8)
start = dt.date(2023, 1, 2)
with open("data/sales.csv", "w", newline="") as fh:
    w = csv.writer(fh)
    w.writerow(["date", "store", "croissant", "rye", "baguette"])
    for store in ("north", "harbour"):
        for d in range(300):
            day = start + dt.timedelta(days=d)
            wk = 1 + 0.35 * math.sin(2 * math.pi * day.weekday() / 7)
            closed = day.weekday() == 6 and store == "harbour"
            row = [0 if closed else max(0, round(random.gauss(m * wk, m * 0.1))) for m in (60, 18, 95)]
            w.writerow([day.isoformat(), store, *row])
