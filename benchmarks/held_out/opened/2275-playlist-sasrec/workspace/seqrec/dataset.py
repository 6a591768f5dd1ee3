import torch
from torch.utils.data import Dataset


class NextSong(Dataset):
    """Left-padded history and, for each position, the song that follows."""

    def __init__(self, sequences, song2idx, max_len, train=True):
        self.rows = []
        for seq in sequences:
            seq = seq[:-1] if train else seq
            ids = [song2idx[song] for song in seq][-(max_len + 1) :]
            history, target = ids[:-1], ids[1:]
            pad = [0] * (max_len - len(history))
            self.rows.append((torch.tensor(pad + history), torch.tensor(pad + target)))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]
