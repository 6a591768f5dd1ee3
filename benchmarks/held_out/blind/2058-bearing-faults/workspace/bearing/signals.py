"""Synthetic accelerometer recordings with bearing-fault signatures."""
import numpy as np

FAULT_FREQ = {"healthy": 0.0, "inner_race": 0.115, "outer_race": 0.071}


def _carrier(n, freq, rng):
    t = np.arange(n)
    phase = rng.uniform(0, 2 * np.pi)
    return np.sin(2 * np.pi * freq * t + phase)


def make_recording(label, channels, duration, rng):
    """Return a dict channel -> 1-D signal, like the .mat files of the rig."""
    base = _carrier(duration, 0.03, rng)
    rec = {}
    for k, name in enumerate(channels):
        x = 0.6 * base + 0.3 * rng.standard_normal(duration)
        f = FAULT_FREQ[label]
        if f > 0:
            x = x + (1.0 - 0.25 * k) * _carrier(duration, f, rng)
        rec[name] = x.astype(np.float32)
    return rec


def load_recordings(cfg, seed):
    rng = np.random.default_rng(seed)
    out = []
    for i in range(cfg["n_recordings"]):
        label = cfg["classes"][i % len(cfg["classes"])]
        out.append((make_recording(label, cfg["channels"], cfg["duration"], rng), label))
    return out
