PAD = '.'


def read_words(path):
    words = []
    for line in open(path):
        w = line.strip().lower()
        if w:
            words.append(w)
    return words


def build_vocab(words):
    chars = sorted(set(''.join(words)))
    stoi = {c: i + 1 for i, c in enumerate(chars)}
    stoi[PAD] = 0
    itos = {i: c for c, i in stoi.items()}
    return stoi, itos
