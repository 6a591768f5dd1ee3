import datetime
import random

MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august",
          "september", "october", "november", "december"]


def random_pair(rng):
    day = datetime.date(1990, 1, 1) + datetime.timedelta(days=rng.randrange(12000))
    month = MONTHS[day.month - 1]
    style = rng.randrange(3)
    if style == 0:
        text = f"{day.day} {month} {day.year}"
    elif style == 1:
        text = f"{month} {day.day}, {day.year}"
    else:
        text = f"{day.day}.{day.month}.{day.year}"
    return text, day.isoformat()


def make_pairs(n, seed):
    rng = random.Random(seed)
    return [random_pair(rng) for _ in range(n)]
