import pathlib

import numpy as np
from scipy.io import wavfile

SAMPLE_RATE = 4000
CLIP_SAMPLES = 1600


def read_clip(path):
    rate, x = wavfile.read(path)
    if rate != SAMPLE_RATE:
        raise ValueError(f"{path}: expected {SAMPLE_RATE} Hz, got {rate}")
    x = x.astype("float32") / 32768.0
    if len(x) < CLIP_SAMPLES:
        x = np.pad(x, (0, CLIP_SAMPLES - len(x)))
    return x[:CLIP_SAMPLES]


def log_spectrogram(x, frame, hop):
    n = 1 + (len(x) - frame) // hop
    win = np.hanning(frame)
    frames = np.stack([x[i * hop:i * hop + frame] * win for i in range(n)])
    mag = np.abs(np.fft.rfft(frames, axis=1))
    return np.log(mag + 1e-4).astype("float32")


def load_folder(root, words, frame, hop):
    feats, labels = [], []
    for i, w in enumerate(words):
        for p in sorted(pathlib.Path(root, w).glob("*.wav")):
            feats.append(log_spectrogram(read_clip(p), frame, hop))
            labels.append(i)
    x = np.stack(feats)[..., None]
    return x, np.array(labels)
