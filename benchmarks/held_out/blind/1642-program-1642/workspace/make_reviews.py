"""Writes reviews.tsv, a small sentiment corpus."""
import random

GOOD = "great lovely superb charming crisp funny brilliant warm moving sharp".split()
BAD = "dull awful bland noisy clumsy boring weak tedious flat messy".split()
NOUN = "plot cast score camera script ending pacing scene dialogue lead humor sound".split()
FILL = "the a really quite with its and but rather very this that somehow overall".split()


def sentence(rng, label):
    words = []
    for _ in range(rng.randint(5, 14)):
        pool = rng.choices([GOOD if label else BAD, NOUN, FILL], weights=[3, 3, 4])[0]
        words.append(rng.choice(pool))
    if rng.random() < 0.3:
        words.append(f"take{rng.randint(1, 60)}")
    return " ".join(words)


rng = random.Random(4)
with open("reviews.tsv", "w") as f:
    f.write("label\ttext\n")
    for _ in range(600):
        y = rng.randint(0, 1)
        f.write(f"{y}\t{sentence(rng, y)}\n")
