import numpy as np
import torch


def hz_to_mel(f):
    return 2595.0 * np.log10(1.0 + f / 700.0)


def mel_to_hz(m):
    return 700.0 * (10.0 ** (m / 2595.0) - 1.0)


def mel_filterbank(sample_rate, n_fft, n_mels, f_min, f_max):
    n_bins = n_fft // 2 + 1
    points = mel_to_hz(np.linspace(hz_to_mel(f_min), hz_to_mel(f_max), n_mels + 2))
    freqs = np.linspace(0, sample_rate / 2, n_bins)
    fb = np.zeros((n_mels, n_bins), dtype=np.float32)
    for i in range(n_mels):
        left, center, right = points[i:i + 3]
        up = (freqs - left) / (center - left)
        down = (right - freqs) / (right - center)
        fb[i] = np.maximum(0.0, np.minimum(up, down))
    return torch.from_numpy(fb)


class LogMel:
    def __init__(self, cfg):
        self.n_fft = cfg["n_fft"]
        self.hop = cfg["hop_length"]
        self.window = torch.hann_window(self.n_fft)
        self.fb = mel_filterbank(
            cfg["sample_rate"], cfg["n_fft"], cfg["n_mels"], cfg["f_min"], cfg["f_max"]
        )

    def __call__(self, wav):
        spec = torch.stft(wav, self.n_fft, self.hop, window=self.window)
        mel = self.fb @ spec.abs().pow(2)
        return torch.log(mel + 1e-6)
