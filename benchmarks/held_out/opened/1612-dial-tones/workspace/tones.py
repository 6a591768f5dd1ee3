import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

SYMBOLS = "0123456789"
BLANK = 0
SAMPLE_RATE = 8000
N_FFT = 256
HOP = 80


def synth(rng, digits):
    parts = []
    for d in digits:
        n = int(SAMPLE_RATE * rng.uniform(0.14, 0.22))
        t = np.arange(n) / SAMPLE_RATE
        f1, f2 = 600 + 90 * (d % 4), 1200 + 140 * (d // 3)
        wave = 0.5 * np.sin(2 * np.pi * f1 * t) + 0.5 * np.sin(2 * np.pi * f2 * t)
        parts.append(wave * np.hanning(n))
        parts.append(np.zeros(int(SAMPLE_RATE * rng.uniform(0.03, 0.08))))
    wave = np.concatenate(parts)
    return (wave + 0.02 * rng.normal(size=wave.shape)).astype(np.float32)


def log_spectrogram(wave):
    spec = torch.stft(torch.from_numpy(wave), N_FFT, hop_length=HOP,
                      window=torch.hann_window(N_FFT), return_complex=True)
    return torch.log1p(spec.abs()).transpose(0, 1)


class DialTones(Dataset):
    def __init__(self, n, seed, min_len=3, max_len=7):
        rng = np.random.default_rng(seed)
        self.items = []
        for _ in range(n):
            digits = rng.integers(0, 10, rng.integers(min_len, max_len + 1))
            self.items.append((synth(rng, digits), digits))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        wave, digits = self.items[i]
        return log_spectrogram(wave), torch.as_tensor(digits + 1, dtype=torch.long)


def collate(batch):
    batch = sorted(batch, key=lambda b: len(b[0]), reverse=True)
    feats, targets = zip(*batch)
    return {
        "feats": pad_sequence(feats, batch_first=True),
        "feat_lens": torch.tensor([len(f) for f in feats]),
        "targets": torch.cat(targets),
        "target_lens": torch.tensor([len(t) for t in targets]),
    }
