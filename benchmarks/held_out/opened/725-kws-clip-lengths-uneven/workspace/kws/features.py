from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class SpectrogramConfig:
    n_fft: int = 128
    hop: int = 64

    @property
    def n_bins(self):
        return self.n_fft // 2 + 1


def log_spectrogram(wave, cfg):
    win = torch.hann_window(cfg.n_fft)
    spec = torch.stft(wave, cfg.n_fft, cfg.hop, window=win, return_complex=True)
    return spec.abs().add(1e-5).log()
