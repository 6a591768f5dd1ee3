from collections import Counter

PAD, BOS, EOS, UNK = "<pad>", "<s>", "</s>", "<unk>"


class Vocab:
    def __init__(self, lines, min_freq=1):
        counts = Counter(tok for line in lines for tok in line)
        words = sorted(w for w, c in counts.items() if c >= min_freq)
        self.itos = [PAD, BOS, EOS, UNK] + words
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, tokens):
        unk = self.stoi[UNK]
        return [self.stoi[BOS]] + [self.stoi.get(t, unk) for t in tokens] + [self.stoi[EOS]]

    def decode(self, ids):
        words = []
        for i in ids:
            if self.itos[i] == EOS:
                break
            if self.itos[i] not in (PAD, BOS):
                words.append(self.itos[i])
        return " ".join(words)
