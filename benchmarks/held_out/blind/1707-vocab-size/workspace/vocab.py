PAD, BOS, EOS = "<pad>", "<s>", "</s>"


class NoteVocab:
    def __init__(self, tunes):
        specials = [PAD, BOS, EOS]
        self.notes = sorted({n for tune in tunes for n in tune["notes"].split()})
        self.index = {tok: i for i, tok in enumerate(specials + self.notes)}
        self.tokens = {i: tok for tok, i in self.index.items()}

    @property
    def size(self):
        return len(self.notes) + 2

    @property
    def pad_id(self):
        return self.index[PAD]

    def encode(self, notes):
        return [self.index[BOS]] + [self.index[n] for n in notes.split()] + [self.index[EOS]]

    def decode(self, ids):
        return " ".join(self.tokens[i] for i in ids if self.tokens[i] not in (PAD, BOS, EOS))
