"""Writes made-up assistant requests as JSON lines, one file per collection day."""
import json
import random
from pathlib import Path

SLOTS = {
    "play": ("play {x}", ["jazz", "the news", "rain sounds", "folk songs", "opera"]),
    "lights": ("{x} the lights", ["dim", "brighten", "turn off", "warm up", "flash"]),
    "travel": ("how far is {x}", ["Lisbon", "Oslo", "Nairobi", "Quito", "Hanoi"]),
    "cook": ("recipe for {x}", ["soup", "bread", "curry", "dumplings", "pie"]),
}


def main(days=2, per_day=300, seed=0):
    rng = random.Random(seed)
    folder = Path("requests")
    folder.mkdir(exist_ok=True)
    for day in range(days):
        names = [f"user{rng.randrange(60)}" for _ in range(rng.randint(5, 15))]
        with open(folder / f"day{day}.jsonl", "w") as f:
            for _ in range(per_day):
                intent = rng.choice(list(SLOTS))
                template, fillers = SLOTS[intent]
                text = template.format(x=rng.choice(fillers)) + f" says {rng.choice(names)}"
                f.write(json.dumps({"text": text, "intent": intent}) + "\n")


if __name__ == "__main__":
    main()
