import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset


class Utterances(Dataset):
    """Each letter is a band of energy; an utterance is a row of letters of varying length."""

    def __init__(self, n, hp, codec, seed):
        rng = np.random.default_rng(seed)
        self.items = []
        for _ in range(n):
            text = "".join(rng.choice(list(hp.alphabet), rng.integers(*hp.symbols)))
            parts = []
            for c in text:
                frames = rng.integers(*hp.frames_per_symbol)
                part = rng.normal(0, 0.1, (frames, hp.n_mels))
                band = 2 * (codec.index[c] - 1)
                part[2:-2, band : band + 2] += 1.0
                parts.append(part)
            mel = torch.tensor(np.concatenate(parts), dtype=torch.float32)
            self.items.append((mel, text, torch.tensor(codec.encode(text))))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    mels, texts, targets = zip(*batch)
    mel_lengths = torch.tensor([len(m) for m in mels])
    target_lengths = torch.tensor([len(t) for t in targets])
    return pad_sequence(mels, batch_first=True), mel_lengths, torch.cat(targets), target_lengths, texts
