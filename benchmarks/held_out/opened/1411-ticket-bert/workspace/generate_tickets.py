"""Writes assets/tickets.jsonl with templated support tickets (run once)."""
import json
import random

random.seed(30)
T = {
    "billing": ["my invoice {n} shows a wrong amount", "i was charged twice for order {n}",
                "please refund the payment of {n} euro", "the discount code was not applied to bill {n}"],
    "login": ["i cannot sign in since {n} days", "the password reset mail never arrives",
              "two factor code {n} is rejected", "my account is locked after {n} attempts"],
    "shipping": ["parcel {n} has not arrived yet", "the courier left package {n} at a wrong address",
                 "tracking number {n} does not work", "when will order {n} be delivered"],
}
FILL = ["hello", "dear team", "good morning", "i am a customer for {n} years and normally very happy with your service",
        "this is already the second time that i write about this", "thank you very much", "kind regards from {n} street",
        "could somebody please have a look at it as soon as possible because i need it urgently"]
with open("assets/tickets.jsonl", "w") as fh:
    for i in range(240):
        label = random.choice(sorted(T))
        parts = [random.choice(FILL), random.choice(T[label])] + random.sample(FILL, random.randint(0, 3))
        text = ". ".join(p.format(n=random.randint(2, 999)) for p in parts)
        fh.write(json.dumps({"id": i, "text": text, "label": label}) + "\n")
