import numpy as np


def clip(species, cfg, rng):
    """Carrier and chirp rate are what tells the species apart."""
    n = int(cfg["rate"] * cfg["seconds"])
    t = np.arange(n) / cfg["rate"]
    carrier = 600 + 250 * species + rng.normal(0, 25)
    chirp = 8 + 4 * (species % 2) + rng.normal(0, 0.4)
    envelope = (np.sin(2 * np.pi * chirp * t + rng.uniform(0, 6)) > 0).astype(float)
    return envelope * np.sin(2 * np.pi * carrier * t) + rng.normal(0, 0.25, n)


def all_clips(cfg, split):
    rng = np.random.default_rng({"train": 10, "valid": 20}[split])
    for species in range(cfg["species"]):
        for _ in range(cfg["clips_per_species"][split]):
            yield clip(species, cfg, rng), species
