import numpy as np
from scipy.signal import welch
from scipy.stats import kurtosis, skew

BANDS = [(0.1, 1.0), (1.0, 2.5), (2.5, 5.0)]


def windows(signal, size, overlap=0.5):
    step = max(int(size * (1 - overlap)), 1)
    for start in range(0, len(signal) - size + 1, step):
        yield signal[start:start + size]


def time_features(w):
    feats = [w.mean(0), w.std(0), w.min(0), w.max(0), np.median(w, 0), skew(w), kurtosis(w)]
    mag = np.linalg.norm(w, axis=1)
    corr = np.corrcoef(w.T)[np.triu_indices(3, 1)]
    return np.concatenate(feats + [[mag.mean(), mag.std()], np.nan_to_num(corr)])


def spectral_features(w, fs):
    freqs, power = welch(w - w.mean(0), fs=fs, nperseg=min(len(w), 32), axis=0)
    out = []
    for lo, hi in BANDS:
        sel = (freqs >= lo) & (freqs < hi)
        out.append(power[sel].sum(0))
    out.append(freqs[power.argmax(0)])
    return np.concatenate(out)


def extract(w, fs=20, spectral=True):
    f = time_features(w)
    if spectral:
        f = np.concatenate([f, spectral_features(w, fs)])
    return f
