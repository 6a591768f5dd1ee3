import json

import lightning as L
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from vocab import NoteVocab


class TuneData(L.LightningDataModule):
    def __init__(self, path, batch_size):
        super().__init__()
        self.batch_size = batch_size
        with open(path) as fh:
            tunes = json.load(fh)
        self.vocab = NoteVocab(tunes)
        encoded = [torch.tensor(self.vocab.encode(t["notes"])) for t in tunes]
        self.train_tunes, self.val_tunes = encoded[:100], encoded[100:]

    def collate(self, batch):
        batch = sorted(batch, key=len)
        lengths = torch.tensor([len(t) - 1 for t in batch])
        padded = pad_sequence(batch, batch_first=True, padding_value=self.vocab.pad_id)
        return padded[:, :-1], padded[:, 1:], lengths

    def train_dataloader(self):
        return DataLoader(self.train_tunes, self.batch_size, shuffle=True, collate_fn=self.collate)

    def val_dataloader(self):
        return DataLoader(self.val_tunes, self.batch_size, collate_fn=self.collate)
