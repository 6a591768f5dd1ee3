import random

MONTHS = ["january", "february", "march", "april", "may", "june", "july",
          "august", "september", "october", "november", "december"]
PAD, SOS, EOS = "<pad>", "<sos>", "<eos>"


def make_pair(rng):
    d, m, y = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1970, 2029)
    style = rng.choice(["long", "short", "slash"])
    if style == "long":
        src = f"{d} {MONTHS[m - 1]} {y}"
    elif style == "short":
        src = f"{MONTHS[m - 1][:3]} {d}, {y}"
    else:
        src = f"{d}/{m}/{y}"
    return src, f"{y:04d}-{m:02d}-{d:02d}"


def make_corpus(n, seed):
    rng = random.Random(seed)
    return [make_pair(rng) for _ in range(n)]


class Vocab:
    def __init__(self, texts):
        self.tokens = [PAD, SOS, EOS] + sorted(set("".join(texts)))
        self.index = {t: i for i, t in enumerate(self.tokens)}
        self.pad, self.sos, self.eos = 0, 1, 2

    def __len__(self):
        return len(self.tokens)

    def encode(self, text, wrap=False):
        ids = [self.index[c] for c in text]
        return [self.sos] + ids + [self.eos] if wrap else ids + [self.eos]

    def decode(self, ids):
        out = []
        for i in ids:
            if i == self.eos:
                break
            if i > 2:
                out.append(self.tokens[i])
        return "".join(out)
