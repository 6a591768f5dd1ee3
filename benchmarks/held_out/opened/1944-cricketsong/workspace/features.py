import os

import numpy as np

from sounds import all_clips


def mel(f):
    return 2595 * np.log10(1 + f / 700)


def inv_mel(m):
    return 700 * (10 ** (m / 2595) - 1)


def filterbank(n_bands, frame, rate, f_min):
    edges = inv_mel(np.linspace(mel(f_min), mel(rate / 2), n_bands + 2))
    freqs = np.fft.rfftfreq(frame, 1 / rate)
    bank = np.zeros((n_bands, len(freqs)))
    for b in range(n_bands):
        lo, mid, hi = edges[b:b + 3]
        bank[b] = np.clip(np.minimum((freqs - lo) / (mid - lo), (hi - freqs) / (hi - mid)), 0, None)
    return bank


def log_bands(wave, fc, rate):
    starts = range(0, len(wave) - fc["frame"] + 1, fc["hop"])
    frames = np.stack([wave[s:s + fc["frame"]] for s in starts]) * np.hanning(fc["frame"])
    power = np.abs(np.fft.rfft(frames)) ** 2
    bank = filterbank(fc["n_bands"], fc["frame"], rate, fc["f_min"])
    return np.log(power @ bank.T + 1e-3).T.astype(np.float16)


def load_features(cfg, split):
    """Features (n, bands, frames) and species of a split; computed once, then read back."""
    fc, sc = cfg["features"], cfg["sound"]
    path = os.path.join(fc["cache_dir"], f"{split}.npz")
    if not os.path.exists(path):
        os.makedirs(fc["cache_dir"], exist_ok=True)
        pairs = [(log_bands(w, fc, sc["rate"]), s) for w, s in all_clips(sc, split)]
        np.savez_compressed(path, x=np.stack([p[0] for p in pairs]), y=np.array([p[1] for p in pairs]))
        print("features written to", path)
    z = np.load(path)
    return z["x"].astype(np.float32), z["y"]
