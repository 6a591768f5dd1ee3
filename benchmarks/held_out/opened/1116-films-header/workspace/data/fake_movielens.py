import csv
import os
import random

r = random.Random(88)
here = os.path.dirname(os.path.abspath(__file__))
GENRES = ["drama", "comedy", "thriller", "scifi", "documentary"]
films = [(1000 + 3 * i, f"Film {i:02d}", r.choice(GENRES), r.randint(1950, 2020)) for i in range(60)]
with open(os.path.join(here, "films.csv"), "w", newline="") as fh:
    w = csv.writer(fh)
    w.writerow(["film_id", "title", "genre", "year"])
    w.writerows(films)
with open(os.path.join(here, "ratings.csv"), "w", newline="") as fh:
    w = csv.writer(fh)
    w.writerow(["user_id", "film_id", "stars", "ts"])
    for u in range(70):
        likes = r.sample(GENRES, 2)
        for f in r.sample(films, r.randint(10, 24)):
            stars = (r.choice([4, 5, 5]) if f[2] in likes else r.choice([1, 2, 3, 3]))
            w.writerow([f"u{u:03d}", f[0], stars, 1_600_000_000 + r.randrange(10_000_000)])
