class ChordTokenizer:
    """One token per chord symbol. <bos> starts a song, <eos> ends it."""

    def __init__(self, lines):
        chords = sorted({c for line in lines for c in line.split()})
        self.itos = ["<bos>", "<eos>"] + chords
        self.stoi = {s: i for i, s in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, line):
        return [self.stoi["<bos>"]] + [self.stoi[c] for c in line.split()] + [self.stoi["<eos>"]]

    def decode(self, ids):
        return " ".join(self.itos[i] for i in ids)


def read_songs(path):
    with open(path) as f:
        return [line.strip() for line in f if line.strip() and not line.startswith("#")]
