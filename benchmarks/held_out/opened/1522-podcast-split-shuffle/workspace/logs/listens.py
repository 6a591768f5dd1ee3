import csv
import random

random.seed(15)
TOPICS = ["history", "football", "physics", "crime", "cooking", "jazz"]
shows = [(f"show-{i:03d}", TOPICS[i % 6], random.choice(["short", "mid", "long"])) for i in range(72)]
with open("shows.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["show", "topic", "length"])
    w.writerows(shows)
with open("listens.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["listener", "device", "hour", "show", "minutes"])
    for u in range(150):
        likes = random.sample(TOPICS, 2)
        fav = [s for s in shows if s[1] in likes]
        dev = random.choice(["phone", "car", "speaker"])
        for _ in range(random.randint(10, 18)):
            s = random.choice(fav if random.random() < 0.92 else shows)
            w.writerow([f"u{u:04d}", dev, random.randint(5, 23), s[0], random.randint(3, 60)])
