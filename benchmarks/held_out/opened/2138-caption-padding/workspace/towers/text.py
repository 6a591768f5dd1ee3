PAD, UNK = "<pad>", "<unk>"


class WordTokenizer:
    def __init__(self, captions):
        words = sorted({w for c in captions for w in c.split()})
        self.vocab = {w: i for i, w in enumerate([PAD, UNK] + words)}

    def __len__(self):
        return len(self.vocab)

    def encode(self, caption, max_words):
        ids = [self.vocab.get(w, self.vocab[UNK]) for w in caption.split()]
        ids = ids[:max_words]
        ids += [self.vocab[PAD]] * (max_words - len(caption))
        return ids
