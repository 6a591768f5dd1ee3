"""Synthetic support tickets -> tickets.jsonl"""
import json
import pathlib
import random

rng = random.Random(17)
TOPICS = {
    "billing": ["invoice", "refund", "charged twice", "credit card", "subscription", "vat number"],
    "hardware": ["battery", "screen", "overheats", "charger", "fan noise", "keyboard"],
    "network": ["wifi", "vpn", "slow connection", "timeout", "dns", "router"],
    "account": ["password", "locked out", "two factor", "login email", "delete profile", "username"],
}
OPEN = ["hello , my", "since yesterday the", "please help with", "problem :", "question about", "again the"]
CLOSE = ["is not working", "looks wrong", "thanks", "any update ?", "this is urgent", "for our office"]
here = pathlib.Path(__file__).parent
with open(here / "tickets.jsonl", "w") as fh:
    for i in range(400):
        topic = rng.choice(list(TOPICS))
        words = f"{rng.choice(OPEN)} {rng.choice(TOPICS[topic])} {rng.choice(CLOSE)}"
        if rng.random() < 0.4:
            words += " , " + rng.choice(TOPICS[topic])
        fh.write(json.dumps({"id": i, "subject": words, "queue": topic}) + "\n")
