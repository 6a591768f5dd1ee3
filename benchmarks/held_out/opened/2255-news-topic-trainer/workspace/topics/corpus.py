"""Toy headline corpus with the four sections of our newspaper."""
import random

from datasets import Dataset

SECTIONS = ["sport", "politics", "economy", "culture"]

WORDS = {
    "sport": "striker goal coach derby sprint medal referee keeper league injury".split(),
    "politics": "senate minister vote coalition bill campaign mayor debate treaty poll".split(),
    "economy": "inflation stocks bank merger tariff exports wages bonds profit budget".split(),
    "culture": "gallery novel festival orchestra premiere sculptor poem theatre museum film".split(),
}
FILLER = "the a of after before new old big small in with for says again this week".split()


def headline(rng, section):
    n = rng.randint(5, 12)
    words = [rng.choice(WORDS[section]) if rng.random() < 0.4 else rng.choice(FILLER) for _ in range(n)]
    words.insert(rng.randrange(len(words)), rng.choice(WORDS[section]))
    return " ".join(words)


def load_corpus(n=240, seed=0):
    rng = random.Random(seed)
    rows = []
    for i in range(n):
        label = i % len(SECTIONS)
        rows.append({"text": headline(rng, SECTIONS[label]), "label": label})
    rng.shuffle(rows)
    return Dataset.from_list(rows).train_test_split(test_size=0.25, seed=seed)
