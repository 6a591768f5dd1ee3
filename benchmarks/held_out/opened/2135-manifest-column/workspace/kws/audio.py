import numpy as np
import torch
from scipy.io import wavfile


def read_clip(path, expected_rate):
    rate, samples = wavfile.read(path)
    if rate != expected_rate:
        raise ValueError(f"{path}: {rate} Hz, expected {expected_rate} Hz")
    if samples.ndim == 2:
        samples = samples.mean(axis=1)
    samples = samples.astype(np.float32) / 32768.0
    return torch.from_numpy(samples)


def mel_matrix(n_mels, n_fft, sample_rate, f_min):
    """Triangular filters, one row for each mel band."""
    def to_mel(f):
        return 2595 * np.log10(1 + f / 700)

    edges = np.linspace(to_mel(f_min), to_mel(sample_rate / 2), n_mels + 2)
    hz = 700 * (10 ** (edges / 2595) - 1)
    bins = np.linspace(0, sample_rate / 2, n_fft // 2 + 1)
    out = np.zeros((n_mels, len(bins)), dtype=np.float32)
    for m in range(n_mels):
        left, centre, right = hz[m:m + 3]
        rise = (bins - left) / (centre - left)
        fall = (right - bins) / (right - centre)
        out[m] = np.clip(np.minimum(rise, fall), 0, None)
    return torch.from_numpy(out)


class LogMel:
    def __init__(self, p):
        self.n_fft = p["n_fft"]
        self.hop = p["hop"]
        self.window = torch.hann_window(self.n_fft)
        self.fbank = mel_matrix(p["n_mels"], p["n_fft"], p["sample_rate"], p["f_min"])

    def __call__(self, wave):
        spec = torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True)
        power = spec.abs() ** 2
        mel = self.fbank @ power
        return torch.log(mel + 1e-6).T          # frames x mels
