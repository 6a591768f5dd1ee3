"""Stand-in for the nightly export of the building management system.

raw/meter.csv    hourly heat meter, epoch seconds
raw/weather.csv  station data every 30 minutes, epoch milliseconds
"""
import csv
import math
import random

random.seed(4)
START = 1_672_531_200  # 2023-01-01 00:00 UTC
HOURS = 24 * 40


def outside(h):
    return 4 + 5 * math.sin(2 * math.pi * h / (24 * 30)) + 4 * math.sin(2 * math.pi * (h % 24 - 9) / 24)


with open("raw/weather.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["time", "temp_c", "wind_ms"])
    for k in range(2 * HOURS):
        w.writerow([(START + 1800 * k) * 1000, round(outside(k / 2) + random.gauss(0, 0.4), 2), round(abs(random.gauss(3, 1.5)), 1)])

with open("raw/meter.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["time", "kwh"])
    for h in range(HOURS):
        occupied = 7 <= h % 24 <= 18
        kwh = max(0, 3.2 * (20 - outside(h)) * (1.0 if occupied else 0.7) + random.gauss(0, 2))
        w.writerow([START + 3600 * h + random.randint(0, 20), round(kwh, 2)])
print("exported", HOURS, "hours")
