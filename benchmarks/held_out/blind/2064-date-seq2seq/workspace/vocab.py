import datetime as dt
import random

PAD, BOS, EOS = 0, 1, 2
CHARS = "abcdefghijklmnopqrstuvwxyz0123456789 -,/"
STOI = {c: i + 3 for i, c in enumerate(CHARS)}
ITOS = {i: c for c, i in STOI.items()}
VOCAB_SIZE = len(CHARS) + 3

FORMATS = ["%d %B %Y", "%B %d, %Y", "%d/%m/%Y", "%a %d %b %Y"]


def encode(text):
    return [BOS] + [STOI[c] for c in text.lower()] + [EOS]


def decode(ids):
    return "".join(ITOS[i] for i in ids if i in ITOS)


def random_pair(rng):
    day = dt.date(1970, 1, 1) + dt.timedelta(days=rng.randrange(20000))
    return day.strftime(rng.choice(FORMATS)), day.isoformat()


def make_pairs(n, seed):
    rng = random.Random(seed)
    return [random_pair(rng) for _ in range(n)]
