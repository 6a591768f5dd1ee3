import math

import torch
from torch.utils.data import TensorDataset, random_split

WORDS = {"go": (300, 500), "stop": (800, 400), "left": (600, 1200), "right": (1500, 1500)}


def synthesize(word, audio, generator):
    start, end = WORDS[word]
    t = torch.arange(audio.n_samples) / audio.sample_rate
    jitter = 1 + 0.05 * torch.randn(1, generator=generator)
    freq = (start + (end - start) * t / audio.clip_seconds) * jitter
    phase = 2 * math.pi * torch.cumsum(freq, 0) / audio.sample_rate
    return torch.sin(phase) + 0.3 * torch.randn(audio.n_samples, generator=generator)


def make_splits(audio, per_word, seed=0):
    generator = torch.Generator().manual_seed(seed)
    waves, labels = [], []
    for label, word in enumerate(WORDS):
        for _ in range(per_word):
            waves.append(synthesize(word, audio, generator))
            labels.append(label)
    data = TensorDataset(torch.stack(waves), torch.tensor(labels))
    n_test = len(data) // 4
    return random_split(data, [len(data) - n_test, n_test], generator=generator)
