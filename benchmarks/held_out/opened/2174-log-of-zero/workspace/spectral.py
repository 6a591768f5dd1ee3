import wave

import numpy as np


def read_wav(path):
    with wave.open(str(path)) as w:
        raw = w.readframes(w.getnframes())
    return np.frombuffer(raw, dtype="<i2").astype(np.float32) / 32768.0


def log_bands(signal, win=128, hop=64, bands=16):
    """(frames, bands) log energies."""
    n = 1 + (len(signal) - win) // hop
    idx = np.arange(win)[None] + hop * np.arange(n)[:, None]
    spec = np.abs(np.fft.rfft(signal[idx] * np.hanning(win), axis=1)) ** 2
    spec = spec[:, 1:].reshape(n, bands, -1).sum(-1)
    return np.log(spec).astype(np.float32)
