import numpy as np
import torch


def mel_filterbank(n_mels, n_fft, sr):
    def to_mel(f):
        return 2595 * np.log10(1 + f / 700)

    mels = np.linspace(to_mel(60), to_mel(sr / 2), n_mels + 2)
    hz = 700 * (10 ** (mels / 2595) - 1)
    bins = np.fft.rfftfreq(n_fft, 1 / sr)
    fb = np.zeros((n_mels, len(bins)), dtype=np.float32)
    for m in range(n_mels):
        left, mid, right = hz[m : m + 3]
        up = (bins - left) / (mid - left)
        down = (right - bins) / (right - mid)
        fb[m] = np.maximum(0, np.minimum(up, down))
    return torch.from_numpy(fb)


class LogMel:
    def __init__(self, sample_rate, n_fft, hop, n_mels):
        self.n_fft, self.hop = n_fft, hop
        self.fb = mel_filterbank(n_mels, n_fft, sample_rate)
        self.window = torch.hann_window(n_fft)

    def __call__(self, wav):
        spec = torch.stft(
            torch.as_tensor(wav), self.n_fft, self.hop, window=self.window, return_complex=True
        ).abs() ** 2
        feats = torch.log(self.fb @ spec + 1e-6).T
        return (feats - feats.mean(0)) / (feats.std(0) + 1e-5)
