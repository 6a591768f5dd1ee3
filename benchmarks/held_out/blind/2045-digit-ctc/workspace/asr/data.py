import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

BLANK = 0
SYMBOLS = ["<b>"] + list("0123456789")
SYM2ID = {s: i for i, s in enumerate(SYMBOLS)}


class DigitDataset(Dataset):
    def __init__(self, corpus, extractor):
        self.items = [(extractor(w), torch.tensor([SYM2ID[c] for c in t])) for w, t in corpus]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    feats, targets = zip(*batch)
    feat_lens = torch.tensor([f.size(0) for f in feats])
    target_lens = torch.tensor([t.numel() for t in targets])
    return pad_sequence(feats, batch_first=True), feat_lens, pad_sequence(targets, batch_first=True), target_lens
