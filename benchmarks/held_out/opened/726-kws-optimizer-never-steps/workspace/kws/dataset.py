import json

import torch
from torch.utils.data import Dataset

from .audio import SAMPLE_RATE, fix_length, load_clip
from .features import log_spectrogram

WORDS = ["yes", "no", "stop", "go"]


class KeywordDataset(Dataset):
    def __init__(self, manifest, split, spec_cfg, seconds=0.5):
        with open(manifest) as f:
            entries = [json.loads(line) for line in f if line.strip()]
        self.entries = [e for e in entries if e["split"] == split]
        self.spec_cfg = spec_cfg
        self.n = int(seconds * SAMPLE_RATE)

    def __len__(self):
        return len(self.entries)

    def __getitem__(self, i):
        e = self.entries[i]
        wave = fix_length(load_clip(e), self.n)
        spec = log_spectrogram(torch.from_numpy(wave), self.spec_cfg)
        return spec, WORDS.index(e["word"])
