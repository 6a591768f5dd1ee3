"""Simulated readings of two heating plants, one row per ten minutes."""
import math
import pathlib
import random

HERE = pathlib.Path(__file__).parent
for letter, seed, base in (("a", 3, 120.0), ("b", 4, 90.0)):
    rnd = random.Random(seed)
    lines = ["minute,load_kw,outside_c,flow_c,return_c"]
    load = base
    for i in range(700):
        day = 2 * math.pi * i / 144
        outside = 4 - 5 * math.cos(day) + rnd.gauss(0, 0.3)
        want = base - 4.0 * outside + 15 * math.sin(2 * day)
        load += 0.35 * (want - load) + rnd.gauss(0, 1.5)
        flow = 45 + load / 6 + rnd.gauss(0, 0.2)
        ret = flow - load / 9 + rnd.gauss(0, 0.2)
        lines.append(f"{i * 10},{load:.1f},{outside:.1f},{flow:.1f},{ret:.1f}")
    (HERE / f"plant_{letter}.csv").write_text("\n".join(lines) + "\n")
