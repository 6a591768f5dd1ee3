class Codec:
    """Index 0 is the CTC blank."""

    def __init__(self, alphabet):
        self.alphabet = alphabet
        self.index = {c: i + 1 for i, c in enumerate(alphabet)}

    def __len__(self):
        return len(self.alphabet) + 1

    def encode(self, text):
        return [self.index[c] for c in text]

    def greedy(self, ids):
        out, previous = [], 0
        for i in ids:
            if i != previous and i != 0:
                out.append(self.alphabet[i - 1])
            previous = i
        return "".join(out)


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        diag, row[0] = row[0], i
        for j, cb in enumerate(b, 1):
            diag, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diag + (ca != cb))
    return row[-1]
