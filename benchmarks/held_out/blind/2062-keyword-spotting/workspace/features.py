import math

import torch
import torch.nn as nn


def mel_filterbank(n_mels, n_fft, sample_rate):
    """Triangular filters, (n_mels, n_fft // 2 + 1)."""
    hz_to_mel = lambda hz: 2595 * math.log10(1 + hz / 700)
    mels = torch.linspace(0, hz_to_mel(sample_rate / 2), n_mels + 2)
    hz = 700 * (10 ** (mels / 2595) - 1)
    freqs = torch.linspace(0, sample_rate / 2, n_fft // 2 + 1)
    up = (freqs[None] - hz[:-2, None]) / (hz[1:-1] - hz[:-2])[:, None]
    down = (hz[2:, None] - freqs[None]) / (hz[2:] - hz[1:-1])[:, None]
    return torch.minimum(up, down).clamp(min=0)


class LogMel(nn.Module):
    def __init__(self, cfg, sample_rate):
        super().__init__()
        self.cfg = cfg
        self.register_buffer("window", torch.hann_window(cfg.n_fft))
        self.register_buffer("fb", mel_filterbank(cfg.n_mels, cfg.n_fft, sample_rate))

    def forward(self, wave):
        spec = torch.stft(wave, self.cfg.n_fft, self.cfg.hop, window=self.window, return_complex=True)
        mel = self.fb @ spec.abs().pow(2)
        return (mel + self.cfg.log_floor).log()
