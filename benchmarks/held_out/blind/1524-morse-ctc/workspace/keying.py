"""Renders text as keyed tone power per frame and band."""
import numpy as np
import torch
from torch.utils.data import Dataset

CODE = {
    "A": ".-", "B": "-...", "C": "-.-.", "D": "-..", "E": ".", "F": "..-.", "G": "--.", "H": "....", "I": "..",
    "J": ".---", "K": "-.-", "L": ".-..", "M": "--", "N": "-.", "O": "---", "P": ".--.", "Q": "--.-", "R": ".-.",
    "S": "...", "T": "-", "U": "..-", "V": "...-", "W": ".--", "X": "-..-", "Y": "-.--", "Z": "--..",
    "0": "-----", "1": ".----", "2": "..---", "3": "...--", "4": "....-", "5": ".....", "6": "-....", "7": "--...",
    "8": "---..", "9": "----.", "/": "-..-.",
}


def key(text):
    """On/off units of one dot length."""
    units = []
    for ch in text:
        if ch == " ":
            units += [0] * 4
            continue
        for mark in CODE[ch]:
            units += [1] * (3 if mark == "-" else 1) + [0]
        units += [0, 0]
    return np.array(units, dtype=np.float32)


class MorseMessages(Dataset):
    def __init__(self, lines, charset, audio, repeat, seed):
        self.symbols = {c: i + 1 for i, c in enumerate(charset)}  # 0 is the CTC blank
        self.lines, self.audio, self.repeat, self.seed = lines, audio, repeat, seed

    def __len__(self):
        return len(self.lines) * self.repeat

    def __getitem__(self, i):
        rng = np.random.default_rng([self.seed, i])
        text = self.lines[i % len(self.lines)]
        dot_ms = 1200 / rng.uniform(*self.audio.wpm)
        env = np.repeat(key(text), max(2, round(dot_ms / self.audio.frame_ms)))
        env = np.pad(env, 8)
        fade = 1 - self.audio.fading * np.abs(np.sin(np.arange(len(env)) / 90 + rng.uniform(0, 6)))
        power = np.outer(env * fade, rng.dirichlet(np.ones(self.audio.bands) * 5) * self.audio.bands)
        power = power + rng.normal(0, self.audio.noise, power.shape)
        target = torch.tensor([self.symbols[c] for c in text])
        return torch.from_numpy(power.astype(np.float32)), target, text


def collate(batch):
    feats, targets, texts = zip(*batch)
    return {
        "x": torch.nn.utils.rnn.pad_sequence(feats, batch_first=True),
        "frames": torch.tensor([len(f) for f in feats]),
        "y": torch.cat(targets),
        "letters": torch.tensor([len(t) for t in targets]),
        "text": texts,
    }
