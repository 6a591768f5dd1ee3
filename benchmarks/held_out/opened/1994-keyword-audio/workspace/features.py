import torch
import torch.nn as nn


def hz_to_mel(f):
    return 2595.0 * torch.log10(1.0 + torch.as_tensor(f) / 700.0)


def mel_to_hz(m):
    return 700.0 * (10.0 ** (m / 2595.0) - 1.0)


def mel_filters(n_fft, n_mels, rate, fmin, fmax):
    freqs = torch.linspace(0, rate / 2, n_fft // 2 + 1)
    edges = mel_to_hz(torch.linspace(hz_to_mel(fmin).item(), hz_to_mel(fmax).item(), n_mels + 2))
    low, mid, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    up = (freqs - low) / (mid - low)
    down = (high - freqs) / (high - mid)
    return torch.minimum(up, down).clamp(min=0)


class LogMel(nn.Module):
    def __init__(self, rate, n_fft, hop, n_mels, fmin, fmax):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("bank", mel_filters(n_fft, n_mels, rate, fmin, fmax))

    def forward(self, wave):
        spec = torch.stft(wave, self.n_fft, hop_length=self.hop, window=self.window)
        mel = self.bank @ spec.abs().pow(2)
        return torch.log(mel + 1e-5)
