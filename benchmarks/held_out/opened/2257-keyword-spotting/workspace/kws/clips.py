"""Source of labelled clips. Stands in for the recordings folder on the lab share."""
import math

import torch


def _tone(gen, freq, cfg):
    n = int(cfg.sample_rate * cfg.clip_seconds)
    t = torch.arange(n) / cfg.sample_rate
    jitter = 1 + 0.05 * torch.randn(1, generator=gen)
    phase = 2 * math.pi * torch.rand(1, generator=gen)
    wave = torch.sin(2 * math.pi * freq * jitter * t + phase)
    envelope = torch.exp(-((t - t.mean()) ** 2) / 0.02)
    return wave * envelope + 0.05 * torch.randn(n, generator=gen)


def iter_clips(keywords, per_word, cfg, seed):
    """Yields (waveform, label) one clip at a time so that long sessions fit in memory."""
    gen = torch.Generator().manual_seed(seed)
    for _ in range(per_word):
        for label, _word in enumerate(keywords):
            yield _tone(gen, 300 + 350 * label, cfg), label
