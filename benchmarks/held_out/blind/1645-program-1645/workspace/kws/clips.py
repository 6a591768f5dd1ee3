import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import Dataset

from kws.features import LogMel


def synth_clip(rng, command, sample_rate, seconds):
    t = np.arange(int(sample_rate * seconds)) / sample_rate
    base = 220.0 * 1.4 ** command
    sweep = base * (1 + 0.3 * t * (-1) ** command)
    wave = np.sin(2 * np.pi * np.cumsum(sweep) / sample_rate)
    wave *= np.hanning(len(t))
    return (wave + 0.05 * rng.normal(size=len(t))).astype("float32")


class CommandClips(Dataset):
    def __init__(self, audio, data, split, seed):
        rng = np.random.default_rng(seed)
        self.mel = LogMel(audio["sample_rate"], audio["n_fft"],
                          audio["hop_length"], audio["n_mels"])
        self.items = []
        for label in range(len(data["commands"])):
            for k in range(data["per_command"]):
                seconds = rng.uniform(audio["min_seconds"], audio["max_seconds"])
                wave = synth_clip(rng, label, audio["sample_rate"], seconds)
                if (k % data["val_every"] == 0) == (split == "val"):
                    self.items.append((torch.from_numpy(wave), label))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        wave, label = self.items[i]
        return self.mel(wave), label


def collate(batch):
    specs, labels = zip(*batch)
    longest = max(s.shape[-1] for s in specs)
    padded = []
    for spec in specs:
        gap = longest - spec.shape[-1]
        padded.append(F.pad(spec, (0, 0, 0, gap), value=-11.5))
    return torch.stack(padded).unsqueeze(1), torch.tensor(labels)
