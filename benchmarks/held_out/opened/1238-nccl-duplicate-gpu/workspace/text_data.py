import torch
from torch.utils.data import Dataset

RHYMES = """
one two buckle my shoe three four open the door five six pick up sticks
seven eight lay them straight nine ten a good fat hen eleven twelve dig and delve
thirteen fourteen maids a courting fifteen sixteen maids in the kitchen
seventeen eighteen maids in waiting nineteen twenty my plate is empty
""".split()


class CharWindows(Dataset):
    def __init__(self, length=40, repeat=20):
        text = " ".join(RHYMES * repeat)
        self.chars = sorted(set(text))
        index = {c: i for i, c in enumerate(self.chars)}
        self.ids = torch.tensor([index[c] for c in text])
        self.length = length

    def __len__(self):
        return (len(self.ids) - 1) // self.length - 1

    def __getitem__(self, i):
        s = i * self.length
        return self.ids[s : s + self.length], self.ids[s + 1 : s + self.length + 1]
