from collections import Counter


class Vocab:
    """Token <-> id mapping. The special tokens always come first."""

    specials = ["<pad>", "<unk>"]

    def __init__(self, sentences, max_size=None):
        counter = Counter(tok for sent in sentences for tok in sent)
        self.words = [w for w, _ in counter.most_common(max_size)]
        self.itos = self.specials + self.words
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def __len__(self):
        return len(self.words)

    def encode(self, sentence):
        unk = self.stoi["<unk>"]
        return [self.stoi.get(tok, unk) for tok in sentence]

    @property
    def pad_id(self):
        return self.stoi["<pad>"]
