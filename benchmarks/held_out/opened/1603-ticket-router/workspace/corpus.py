"""Templated support tickets with the team that solved them."""
import random

TEAMS = {
    "billing": [
        "i was charged twice for the {plan} plan",
        "please send the invoice for {month}",
        "my card was declined when i renewed the {plan} plan",
    ],
    "access": [
        "i cannot log in since {month}",
        "the reset link for my {device} has expired",
        "please unlock the account of my colleague",
    ],
    "delivery": [
        "the parcel with my {device} has not arrived",
        "the tracking page shows no update since {month}",
        "i received a {device} but ordered something else",
    ],
    "hardware": [
        "the screen of my {device} flickers",
        "my {device} does not charge any more",
        "the fan of the {device} is very loud",
    ],
}
OPENERS = ["hello", "hi team", "good morning", "dear support"]
FILLERS = [
    "this is urgent for us",
    "i already tried to restart it",
    "nobody answered my last mail",
    "we have been customers for years",
    "let me know if you need more details",
    "i attached a screenshot of the page",
]
CLOSERS = ["thanks", "many thanks in advance", "kind regards", "best"]
SLOTS = {
    "plan": ["basic", "pro", "family"],
    "month": ["january", "march", "july", "october"],
    "device": ["laptop", "tablet", "phone", "router"],
}


def make_tickets(n, seed):
    rng = random.Random(seed)
    names = list(TEAMS)
    tickets = []
    for _ in range(n):
        team = rng.randrange(len(names))
        slots = {k: rng.choice(v) for k, v in SLOTS.items()}
        body = rng.choice(TEAMS[names[team]]).format(**slots)
        n_fill = min(int(rng.expovariate(0.9)), len(FILLERS))
        parts = [rng.choice(OPENERS), body, *rng.sample(FILLERS, n_fill), rng.choice(CLOSERS)]
        tickets.append((" ".join(parts), team))
    return tickets
