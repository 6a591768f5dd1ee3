import numpy as np
import pandas as pd
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

from asr.features import log_bands

CHARS = "_ abcdefghijklmnopqrstuvwxyz"  # 0 is the CTC blank
CHAR2ID = {c: i for i, c in enumerate(CHARS)}


class Utterances(Dataset):
    def __init__(self, transcripts, wav):
        table = pd.read_csv(transcripts)
        with np.load(wav) as f:
            self.feats = [log_bands(torch.from_numpy(f[u].astype(np.float32))) for u in table.utt_id]
        self.targets = [torch.tensor([CHAR2ID[c] for c in t]) for t in table.text]

    def __len__(self):
        return len(self.feats)

    def __getitem__(self, i):
        return self.feats[i], self.targets[i]


def collate(batch):
    feats, targets = zip(*batch)
    n_frames = torch.tensor([len(f) for f in feats])
    n_chars = torch.tensor([len(t) for t in targets])
    return pad_sequence(feats, batch_first=True), n_frames, torch.cat(targets), n_chars
