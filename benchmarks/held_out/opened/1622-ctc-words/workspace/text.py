class CharTable:
    """Maps transcripts to label ids and network output back to text."""

    def __init__(self, alphabet):
        self.symbols = list(alphabet)
        self.index = {c: i for i, c in enumerate(self.symbols)}

    @property
    def num_labels(self):
        return len(self.symbols) + 1

    def encode(self, text):
        return [self.index[c] for c in text.lower() if c in self.index]

    def decode(self, ids):
        return "".join(self.symbols[i] for i in ids if i < len(self.symbols))


def greedy_decode(log_probs, lengths, blank):
    """Best-path decoding: merge repeats, then drop blanks. (T, N, C) in."""
    best = log_probs.argmax(-1).transpose(0, 1)
    paths = []
    for row, n in zip(best.tolist(), lengths.tolist()):
        out, prev = [], None
        for label in row[:n]:
            if label != prev and label != blank:
                out.append(label)
            prev = label
        paths.append(out)
    return paths


def edit_distance(ref, hyp):
    row = list(range(len(hyp) + 1))
    for i, r in enumerate(ref, 1):
        diag, row[0] = row[0], i
        for j, h in enumerate(hyp, 1):
            diag, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diag + (r != h))
    return row[-1]


def error_rate(refs, hyps, split):
    errors = sum(edit_distance(split(r), split(h)) for r, h in zip(refs, hyps))
    return errors / sum(len(split(r)) for r in refs)
