import random

SUBJECTS = ["the cat", "a small dog", "my neighbour", "the old teacher", "every student", "nobody"]
VERBS = ["sees", "likes", "follows", "paints", "remembers", "ignores"]
OBJECTS = ["the garden", "a red boat", "its own shadow", "the last train", "an open window", "the map"]
TAILS = ["today", "in winter", "without a word", "again", "after lunch", ""]


def make_corpus(n, seed=0):
    rnd = random.Random(seed)
    out = []
    for _ in range(n):
        parts = [rnd.choice(SUBJECTS), rnd.choice(VERBS), rnd.choice(OBJECTS), rnd.choice(TAILS)]
        out.append(" ".join(p for p in parts if p).split())
    return out
