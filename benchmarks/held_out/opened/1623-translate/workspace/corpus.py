"""Made-up English -> 'Velan' sentence pairs from a small grammar."""
import random

NOUNS = {"dog": "karu", "cat": "mishi", "child": "tolen", "bird": "phira",
         "farmer": "garvo", "river": "selu", "stone": "drok", "tree": "yalva"}
VERBS = {"sees": "vidra", "likes": "amora", "follows": "sekta", "finds": "troba",
         "hears": "odira"}
ADJECTIVES = {"old": "senek", "small": "pico", "red": "ruvo", "quiet": "tasi"}


def noun_phrase(rng):
    noun = rng.choice(sorted(NOUNS))
    if rng.random() < 0.5:
        adj = rng.choice(sorted(ADJECTIVES))
        return f"the {adj} {noun}", f"{NOUNS[noun]} {ADJECTIVES[adj]}"
    return f"the {noun}", NOUNS[noun]


def make_pairs(n, seed=0):
    rng = random.Random(seed)
    pairs = []
    for _ in range(n):
        subj_en, subj_ve = noun_phrase(rng)
        obj_en, obj_ve = noun_phrase(rng)
        verb = rng.choice(sorted(VERBS))
        pairs.append((f"{subj_en} {verb} {obj_en}",
                      f"{subj_ve} {obj_ve} {VERBS[verb]}"))
    return pairs
