import json
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

SR, HOP, WIN = 4000, 40, 160


def spectral_frames(audio):
    frames = np.lib.stride_tricks.sliding_window_view(audio, WIN)[::HOP]
    mag = np.abs(np.fft.rfft(frames * np.hanning(WIN), axis=1))
    return np.log1p(10 * mag)


class OnsetLoops(Dataset):
    """One item = one loop: (frames, bins) log spectrum, (frames,) onset targets.

    Audio paths in the manifest are relative to the folder of the manifest,
    so that a corpus can be moved as a whole.
    """

    def __init__(self, manifest, split):
        self.root = Path(manifest).resolve().parent
        with open(manifest) as f:
            rows = [json.loads(line) for line in f]
        self.rows = [r for r in rows if r["split"] == split]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        audio = np.load(self.root / row["audio"])
        x = spectral_frames(audio)
        y = np.zeros(len(x), dtype="float32")
        for t in row["onsets"]:
            y[min(int(t * SR / HOP), len(y) - 1)] = 1.0
        return torch.tensor(x, dtype=torch.float32), torch.from_numpy(y)
