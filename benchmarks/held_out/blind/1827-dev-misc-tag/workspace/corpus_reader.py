from collections import Counter

PAD, UNK = "<pad>", "<unk>"


def read_conll(path):
    sentences, words, tags = [], [], []
    with open(path) as f:
        for line in f:
            line = line.rstrip("\n")
            if not line:
                if words:
                    sentences.append((words, tags))
                words, tags = [], []
                continue
            word, tag = line.split("\t")
            words.append(word)
            tags.append(tag)
    if words:
        sentences.append((words, tags))
    return sentences


class Lexicon:
    def __init__(self, sentences, min_freq):
        counts = Counter(w.lower() for ws, _ in sentences for w in ws)
        self.words = {PAD: 0, UNK: 1}
        for w, c in counts.items():
            if c >= min_freq:
                self.words[w] = len(self.words)
        self.chars = {PAD: 0, UNK: 1}
        for ch in sorted({c for ws, _ in sentences for w in ws for c in w}):
            self.chars[ch] = len(self.chars)
        self.tags = sorted({t for _, ts in sentences for t in ts})
        self.tag_ids = {t: i for i, t in enumerate(self.tags)}

    def encode(self, words, tags):
        word_ids = [self.words.get(w.lower(), 1) for w in words]
        char_ids = [[self.chars.get(c, 1) for c in w] for w in words]
        tag_ids = [self.tag_ids[t] for t in tags]
        return word_ids, char_ids, tag_ids
