"""Made-up support tickets with a team label."""
import random

TEAMS = ["billing", "shipping", "account", "technical"]
PHRASES = {
    "billing": ["charged twice", "invoice is wrong", "refund not received",
                "card was declined", "price on the receipt differs"],
    "shipping": ["parcel never arrived", "box was damaged", "wrong address printed",
                 "tracking has not moved", "courier left it outside"],
    "account": ["cannot log in", "reset my password", "change the email",
                "delete my profile", "two factor code missing"],
    "technical": ["app crashes on start", "screen stays black", "update will not install",
                  "sound cuts out", "sync fails every time"],
}
OPENERS = ["hello", "hi team", "please help", "urgent", "good morning", "again"]
CLOSERS = ["thanks", "please reply soon", "since monday", "what now", "kind regards"]


def make_tickets(n, seed):
    rng = random.Random(seed)
    texts, labels = [], []
    for _ in range(n):
        team = rng.randrange(len(TEAMS))
        texts.append(" ".join([rng.choice(OPENERS), rng.choice(PHRASES[TEAMS[team]]),
                               rng.choice(CLOSERS)]))
        labels.append(team)
    return texts, labels
