import random

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset


class ToneDigits(Dataset):
    """Synthetic "spoken" digit strings: each digit is a two-tone chirp (like DTMF)."""

    def __init__(self, size, sample_rate, alphabet, seed=0):
        self.rng = random.Random(seed)
        self.sample_rate = sample_rate
        self.alphabet = alphabet
        self.texts = ["".join(self.rng.choices(alphabet, k=self.rng.randint(2, 5))) for _ in range(size)]
        self.char2id = {c: i + 1 for i, c in enumerate(alphabet)}   # 0 is the blank

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        gen = torch.Generator().manual_seed(index)
        chunks = []
        for ch in self.texts[index]:
            dur = int(self.sample_rate * (0.08 + 0.04 * torch.rand(1, generator=gen).item()))
            t = torch.arange(dur) / self.sample_rate
            d = int(ch)
            tone = torch.sin(2 * torch.pi * (400 + 90 * d) * t) + torch.sin(2 * torch.pi * (1600 + 150 * d) * t)
            chunks.append(tone * torch.hann_window(dur))
            chunks.append(torch.zeros(int(self.sample_rate * 0.03)))
        wav = torch.cat(chunks)
        wav = wav + 0.02 * torch.randn(wav.shape, generator=gen)
        return wav, torch.tensor([self.char2id[c] for c in self.texts[index]])


def collate_utterances(batch):
    wavs, targets = zip(*batch)
    wav_lengths = torch.tensor([len(w) for w in wavs])
    target_lengths = torch.tensor([len(t) for t in targets])
    return pad_sequence(wavs, batch_first=True), wav_lengths, torch.cat(targets), target_lengths
