"""Writes data/vocab.txt (word pieces) and data/labels.json from the training file.

Run once after the corpus changes:  python make_vocab.py
"""
import collections
import json

from conll import read_conll

sents = read_conll("data/train.conll")
words = collections.Counter(w for toks, _ in sents for w in toks)
chars = sorted({c for w in words for c in w})

pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
pieces += chars + ["##" + c for c in chars]
# names are kept as pieces so that the model must look at the context
pieces += [w for w, n in words.most_common() if n >= 25 and w not in pieces]
suffixes = collections.Counter(w[i:] for w in words for i in range(1, len(w) - 1))
pieces += ["##" + s for s, _ in suffixes.most_common(120) if "##" + s not in pieces]

with open("data/vocab.txt", "w") as f:
    f.write("\n".join(pieces) + "\n")

tags = sorted({t for _, ts in sents for t in ts}, key=lambda t: (t == "O", t[2:], t))
tags = ["O"] + [t for t in tags if t != "O"]
with open("data/labels.json", "w") as f:
    json.dump({i: t for i, t in enumerate(tags)}, f, indent=1)
print(len(pieces), "pieces;", tags)
