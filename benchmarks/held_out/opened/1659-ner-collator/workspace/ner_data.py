import random

from datasets import Dataset

NAMES = ["anna", "boris", "chen", "dalia", "emeka", "fatima"]
CITIES = ["oslo", "lima", "new york", "san jose", "kyoto", "cape town"]
ORGS = ["acme", "globex corp", "initech", "umbrella labs"]
TEMPLATES = [
    "{PER} moved to {LOC} last year",
    "{ORG} opened an office in {LOC}",
    "yesterday {PER} left {ORG}",
    "{PER} and {PER} met in {LOC} to discuss the future of {ORG}",
    "nothing happened",
]
LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG"]
LABEL2ID = {name: i for i, name in enumerate(LABELS)}
POOLS = {"PER": NAMES, "LOC": CITIES, "ORG": ORGS}


def make_split(n, seed):
    rnd = random.Random(seed)
    rows = {"tokens": [], "ner_tags": []}
    for _ in range(n):
        tokens, tags = [], []
        for piece in rnd.choice(TEMPLATES).split():
            if piece.startswith("{"):
                kind = piece[1:-1]
                for j, word in enumerate(rnd.choice(POOLS[kind]).split()):
                    tokens.append(word)
                    tags.append(LABEL2ID[("I-" if j else "B-") + kind])
            else:
                tokens.append(piece)
                tags.append(0)
        rows["tokens"].append(tokens)
        rows["ner_tags"].append(tags)
    return Dataset.from_dict(rows)
