import re
from collections import Counter

PAD, UNK = 0, 1
_word = re.compile(r"[a-z']+")


def words(s, stop):
    return [w for w in _word.findall(s.lower()) if w not in stop]


def build_vocab(token_lists, min_freq):
    freq = Counter(w for ts in token_lists for w in ts)
    keep = sorted(w for w, n in freq.items() if n >= min_freq)
    return {w: i + 2 for i, w in enumerate(keep)}


def to_ids(ts, vocab):
    return [vocab.get(w, UNK) for w in ts]
