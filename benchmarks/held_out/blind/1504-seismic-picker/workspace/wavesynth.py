"""Synthetic local earthquakes as raw digitiser counts, one record per station and event."""
import numpy as np


def ricker(n, at, f, fs):
    t = (np.arange(n) - at) / fs
    a = (np.pi * f * t) ** 2
    return (1 - 2 * a) * np.exp(-a)


def event_record(rng, station, n, fs):
    origin = rng.uniform(0.3, 1.2)
    p = int((origin + station["vp_delay"] + rng.normal(0, 0.05)) * fs)
    s = int((origin + station["vs_delay"] + rng.normal(0, 0.08)) * fs)
    amp_p, amp_s = rng.uniform(0.8, 1.5), rng.uniform(1.5, 3.0)
    wave = np.stack(
        [
            amp_p * ricker(n, p + 6, 8, fs) + 0.3 * amp_s * ricker(n, s + 6, 5, fs),
            0.3 * amp_p * ricker(n, p + 6, 8, fs) + amp_s * ricker(n, s + 6, 5, fs),
            0.2 * amp_p * ricker(n, p + 6, 8, fs) + 0.8 * amp_s * ricker(n, s + 7, 5, fs),
        ],
        axis=-1,
    )
    wave += station["noise"] * rng.normal(size=wave.shape)
    counts = wave * 629.0 + rng.normal(0, 40, size=3)
    return np.rint(counts).astype("int32"), p, s


def soft_target(n, p, s, sigma):
    t = np.arange(n)
    gp = np.exp(-0.5 * ((t - p) / sigma) ** 2)
    gs = np.exp(-0.5 * ((t - s) / sigma) ** 2)
    rest = np.clip(1 - gp - gs, 0, 1)
    y = np.stack([rest, gp, gs], axis=-1)
    return (y / y.sum(-1, keepdims=True)).astype("float32")
