import random

random.seed(5)
FIRST = "Anna Marek Lucia Ivan Petra Tomas Olga Jan Nina Hugo".split()
LAST = "Novak Berg Silva Moreau Kowal Larsen Weber Rossi".split()
CITY = ["Porto", "Lyon", "Graz", "New Haven", "Turin", "Malmo", "San Remo", "Bruges"]
ORG = ["Helios Labs", "Nordbank", "Vega Motors", "Orion Press", "Polar Foods"]
TEMPLATES = ["P works for O in C .", "yesterday P flew from C to C .", "O opened a new office in C last week .",
             "the mayor of C met P .", "shares of O fell sharply on monday .", "P and P founded O together .",
             "it rained all day in C .", "nobody at O answered the letter ."]


def entity(kind):
    if kind == "P":
        return [random.choice(FIRST)] + ([random.choice(LAST)] if random.random() < 0.7 else []), "PER"
    if kind == "C":
        return random.choice(CITY).split(), "LOC"
    return random.choice(ORG).split(), "ORG"


def sentence():
    for tok in random.choice(TEMPLATES).split():
        if tok in "PCO" and len(tok) == 1:
            words, label = entity(tok)
            for i, w in enumerate(words):
                yield w, ("B-" if i == 0 else "I-") + label
        else:
            yield tok, "O"


for name, n in (("train", 220), ("dev", 60)):
    with open(f"corpus/{name}.conll", "w") as f:
        for _ in range(n):
            for w, t in sentence():
                f.write(f"{w}\t{t}\n")
            f.write("\n")
