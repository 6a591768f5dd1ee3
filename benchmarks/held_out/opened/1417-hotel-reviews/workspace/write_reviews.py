"""makes reviews.tsv"""
import random
random.seed(12)
POS = ["great", "lovely", "excellent", "friendly", "tasty", "clean", "superb", "cosy"]
NEG = ["awful", "rude", "cold", "dirty", "slow", "bland", "noisy", "overpriced"]
SUBJ = ["the food", "our waiter", "the room", "breakfast", "the view", "service", "the bar", "check-in"]
ASPECT = {"the food": "kitchen", "breakfast": "kitchen", "the bar": "kitchen", "our waiter": "staff",
          "service": "staff", "check-in": "staff", "the room": "rooms", "the view": "rooms"}
with open("reviews.tsv", "w") as f:
    f.write("text\tsentiment\taspect\n")
    for _ in range(600):
        s = random.random() < 0.5
        subj = random.choice(SUBJ)
        w = random.sample(POS if s else NEG, 2)
        pad = random.choice(["", "honestly ", "as always ", "to be fair "])
        end = random.choice(["", " will tell friends", " during our stay", " on a monday"])
        f.write(f"{pad}{subj} was {w[0]} and {w[1]}{end}\t{int(s)}\t{ASPECT[subj]}\n")
