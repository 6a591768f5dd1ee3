import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset


class SyntheticSpeech(Dataset):
    """Fake log-mel features: every character has its own spectral shape."""

    def __init__(self, commands, cfg, table):
        rng = np.random.default_rng(cfg["seed"])
        shapes = {c: rng.normal(size=cfg["n_mels"]) for c in cfg["alphabet"]}
        low, high = cfg["frames_per_char"]
        self.items = []
        for _ in range(cfg["utterances"]):
            text = commands[rng.integers(len(commands))]
            frames = []
            for ch in text:
                frames += [shapes[ch]] * int(rng.integers(low, high + 1))
            feats = np.stack(frames)
            feats = feats + cfg["noise"] * rng.normal(size=feats.shape)
            self.items.append((feats.astype("float32"), table.encode(text), text))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    feats = [torch.from_numpy(f) for f, _, _ in batch]
    labels = [torch.tensor(l) for _, l, _ in batch]
    return {
        "feats": pad_sequence(feats, batch_first=True),
        "feat_lens": torch.tensor([len(f) for f in feats]),
        "labels": torch.cat(labels),
        "label_lens": torch.tensor([len(l) for l in labels]),
        "texts": [t for _, _, t in batch],
    }
