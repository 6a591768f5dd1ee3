import random
from pathlib import Path

random.seed(9)
STYLES = {
    "italian": "tomato basil parmesan garlic pasta risotto oregano mozzarella olive polenta",
    "indian": "cumin turmeric ghee lentil paneer masala coriander chili basmati cardamom",
    "nordic": "dill herring rye beet cream lingonberry potato salmon crispbread caraway",
    "mexican": "tortilla avocado lime chipotle bean corn jalapeno salsa coriander queso",
}
STEPS = ["chop the {a} finely", "fry {a} with {b} until golden", "simmer the {a} for {n} minutes",
         "season with {a} and salt", "fold in the {a}", "serve with {a} and {b}", "rest for {n} minutes",
         "bake {a} in a hot oven", "stir {a} and {b} into the pot", "marinate the {a} in {b} overnight"]
lines = []
for i in range(480):
    style = random.choice(list(STYLES))
    pool = STYLES[style].split()
    if random.random() < 0.35:
        pool = pool + STYLES[random.choice(list(STYLES))].split()[:5]
    steps = [s.format(a=random.choice(pool), b=random.choice(pool), n=random.choice([5, 10, 20, 40]))
             for s in random.sample(STEPS, random.randint(3, 6))]
    lines.append(f"{style}\t{'; '.join(steps)}")
Path(__file__).with_name("recipes.tsv").write_text("\n".join(lines) + "\n")
