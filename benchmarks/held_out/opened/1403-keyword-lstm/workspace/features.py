"""Fake 'keyword' utterances: sums of harmonics -> log filterbank energies with torch.stft."""
import math
from dataclasses import dataclass

import torch

KEYWORDS = ("go", "stop", "left", "right")


@dataclass(frozen=True)
class FeatureSpec:
    sample_rate: int = 4000
    n_fft: int = 256
    hop: int = 128
    n_bands: int = 20


def synth(kind: int, seconds: float, sr: int, gen: torch.Generator) -> torch.Tensor:
    t = torch.arange(int(seconds * sr)) / sr
    f0 = 180 + 160 * kind + 30 * torch.rand(1, generator=gen)
    sweep = (-1) ** kind * 60 * t
    wave = sum(torch.sin(2 * math.pi * (f0 + sweep) * t * k) / k for k in (1, 2, 3))
    return wave + 0.3 * torch.randn(t.shape, generator=gen)


def log_bands(wave: torch.Tensor, spec: FeatureSpec) -> torch.Tensor:
    st = torch.stft(wave, spec.n_fft, hop_length=spec.hop,
                    window=torch.hann_window(spec.n_fft), return_complex=True)
    power = st.abs().pow(2)[:-1]                       # (n_fft/2, frames)
    edges = torch.linspace(0, power.size(0), spec.n_bands + 1).long()
    bands = torch.stack([power[a:b].mean(0) for a, b in zip(edges[:-1], edges[1:])])
    return torch.log1p(bands).t()                      # (frames, n_bands)
