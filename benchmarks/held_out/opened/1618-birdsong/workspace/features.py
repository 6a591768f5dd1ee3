import logging
from pathlib import Path

import numpy as np

from birdsong import make_clips
from mel import log_mel

log = logging.getLogger(__name__)


def load_split(cfg, split):
    path = Path(cfg["cache_dir"]) / f"{split}_seed{cfg['seed']}.npz"
    if path.exists():
        with np.load(path) as z:
            x, y = z["x"].astype(np.float32), z["y"]
    else:
        x, y = extract(cfg, split)
        path.parent.mkdir(exist_ok=True)
        np.savez_compressed(path, x=x.astype(np.float16), y=y)
    log.info("%s: %d clips", split, len(y))
    return x, y


def extract(cfg, split):
    offset = 0 if split == "train" else 1000
    waves, labels = make_clips(cfg["clips"][split], cfg["seed"] + offset, cfg["audio"])
    x = np.stack([log_mel(w, cfg["audio"]) for w in waves])
    return (x - x.mean()) / x.std(), labels
