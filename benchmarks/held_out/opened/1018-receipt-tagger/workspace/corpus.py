"""CoNLL style files: one `word<TAB>tag` per line, empty line between receipts."""
import torch

PAD, UNK, CLS = "[PAD]", "[UNK]", "[CLS]"
IGNORE = -100


def read_conll(path):
    receipts, words, tags = [], [], []
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            if not line:
                if words:
                    receipts.append((words, tags))
                words, tags = [], []
                continue
            word, tag = line.split("\t")
            words.append(word)
            tags.append(tag)
    if words:
        receipts.append((words, tags))
    return receipts


def read_labels(path):
    with open(path) as f:
        return [line.strip() for line in f if line.strip()]


def normalise(word):
    return "".join("9" if ch.isdigit() else ch.lower() for ch in word)


def build_vocab(receipts, limit):
    counts = {}
    for words, _ in receipts:
        for w in words:
            w = normalise(w)
            counts[w] = counts.get(w, 0) + 1
    frequent = sorted(counts, key=lambda w: (-counts[w], w))
    return {w: i for i, w in enumerate([PAD, UNK, CLS] + frequent[: limit - 3])}


class Collator:
    def __init__(self, vocab, labels, max_words):
        self.vocab = vocab
        self.label_ids = {name: i for i, name in enumerate(labels)}
        self.max_words = max_words

    def __call__(self, receipts):
        longest = min(max(len(w) for w, _ in receipts), self.max_words) + 1
        ids = torch.full((len(receipts), longest), self.vocab[PAD])
        labels = torch.full((len(receipts), longest), IGNORE)
        for row, (words, tags) in enumerate(receipts):
            words, tags = words[: self.max_words], tags[: self.max_words]
            ids[row, 0] = self.vocab[CLS]
            for k, (w, t) in enumerate(zip(words, tags), start=1):
                ids[row, k] = self.vocab.get(normalise(w), self.vocab[UNK])
                labels[row, k] = self.label_ids[t]
        mask = (ids != self.vocab[PAD]).long()
        return {"input_ids": ids, "attention_mask": mask, "labels": labels}
