import math

import torch


def mel_filterbank(n_mels, n_fft, sample_rate):
    def to_mel(f):
        return 2595.0 * math.log10(1.0 + f / 700.0)

    mels = torch.linspace(to_mel(40.0), to_mel(sample_rate / 2), n_mels + 2)
    freqs = 700.0 * (10.0 ** (mels / 2595.0) - 1.0)
    bins = torch.linspace(0, sample_rate / 2, n_fft // 2 + 1)
    left, mid, right = freqs[:-2, None], freqs[1:-1, None], freqs[2:, None]
    up = (bins - left) / (mid - left)
    down = (right - bins) / (right - mid)
    return torch.clamp(torch.minimum(up, down), min=0.0)


class LogMel:
    def __init__(self, sample_rate, n_fft, hop_length, n_mels):
        self.n_fft, self.hop = n_fft, hop_length
        self.window = torch.hann_window(n_fft)
        self.bank = mel_filterbank(n_mels, n_fft, sample_rate)

    def __call__(self, wave):
        spec = torch.stft(wave, self.n_fft, self.hop, window=self.window,
                          return_complex=True).abs() ** 2
        return torch.log(self.bank @ spec + 1e-5)
