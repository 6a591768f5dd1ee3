"""Write mean and standard deviation of every band to a yaml file (run once per set of scenes)."""
import sys
from pathlib import Path

import numpy as np
import yaml

cfg = yaml.safe_load(open(sys.argv[1] if len(sys.argv) > 1 else "settings.yaml"))
bands = np.load(Path(cfg["scenes_dir"]) / f"{cfg['train_scene']}.npz")["bands"].astype("float64")

mean = bands.mean(axis=(0, 1))
std = bands.std(axis=(0, 1))
stats = {"mean": [round(float(v), 3) for v in mean], "std": [round(float(v), 3) for v in std]}
with open(cfg["stats_file"], "w") as fh:
    yaml.safe_dump(stats, fh)
print("statistics of", cfg["train_scene"], "written to", cfg["stats_file"])
