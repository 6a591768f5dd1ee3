import math

import torch
from torch import nn


def hz_to_mel(f):
    return 2595.0 * math.log10(1.0 + f / 700.0)


def mel_filterbank(n_mels, n_fft, sample_rate):
    n_freqs = n_fft // 2 + 1
    freqs = torch.linspace(0, sample_rate / 2, n_freqs)
    mels = torch.linspace(hz_to_mel(20.0), hz_to_mel(sample_rate / 2), n_mels + 2)
    pts = 700.0 * (10 ** (mels / 2595.0) - 1.0)
    lower = (freqs[None] - pts[:-2, None]) / (pts[1:-1] - pts[:-2])[:, None]
    upper = (pts[2:, None] - freqs[None]) / (pts[2:] - pts[1:-1])[:, None]
    return torch.minimum(lower, upper).clamp(min=0)      # (n_mels, n_freqs)


class LogMelSpectrogram(nn.Module):
    def __init__(self, sample_rate, n_fft, hop_length, n_mels):
        super().__init__()
        self.n_fft, self.hop_length = n_fft, hop_length
        self.register_buffer("window", torch.hann_window(n_fft), persistent=False)
        self.register_buffer("fbank", mel_filterbank(n_mels, n_fft, sample_rate), persistent=False)

    def forward(self, wav):
        spec = torch.stft(wav, self.n_fft, self.hop_length, window=self.window,
                          center=True, return_complex=True).abs().pow(2)
        mel = self.fbank @ spec
        return (mel + 1e-6).log()                        # (batch, n_mels, frames)

    def out_lengths(self, n_samples):
        return n_samples // self.hop_length + 1
