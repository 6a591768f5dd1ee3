import torch
from torch import nn


def hz_to_mel(hz):
    return 2595.0 * torch.log10(1.0 + hz / 700.0)


def mel_to_hz(mel):
    return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)


def mel_filterbank(sample_rate, n_fft, n_mels):
    bins = torch.linspace(0, sample_rate / 2, n_fft // 2 + 1)
    top = hz_to_mel(torch.tensor(sample_rate / 2))
    edges = mel_to_hz(torch.linspace(0.0, float(top), n_mels + 2))
    rising = (bins[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins[None]) / (edges[2:] - edges[1:-1])[:, None]
    return torch.minimum(rising, falling).clamp(min=0)


class LogMel(nn.Module):
    def __init__(self, audio):
        super().__init__()
        self.n_fft, self.hop = audio.n_fft, audio.hop
        self.register_buffer("window", torch.hann_window(audio.n_fft))
        self.register_buffer("bank", mel_filterbank(audio.sample_rate, audio.n_fft, audio.n_mels))

    def forward(self, wave):
        spec = torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True)
        mel = self.bank @ spec.abs().square()
        return torch.log(mel + 1e-6)
