#!/usr/bin/env python
import random, sys, os
random.seed(5)
ORGS = ["Acme GmbH", "Norda Oy", "Blue Fern Ltd", "Castor & Sons", "Helio SA"]
CITIES = ["Tampere", "Graz", "Port Talbot", "Lille", "San Remo"]
T = ["invoice from {O} for {A} EUR due {D}", "{O} in {C} charged {A} EUR", "please pay {A} EUR to {O} before {D}",
     "delivery to {C} on {D} confirmed", "reminder : {O} , {C} , {A} EUR still open since {D}", "no entities here today"]
def date(): return f"{random.randint(1,28)} {random.choice('Jan Feb Mar Apr May Jun'.split())} {random.randint(2021,2024)}"
def amount(): return f"{random.randint(1,9)},{random.randint(100,999)}.{random.randint(10,99)}"
with open(os.path.join(os.path.dirname(__file__), "invoices.conll"), "w") as f:
    for _ in range(360):
        for w in random.choice(T).split():
            kind, val = {"{O}": ("ORG", random.choice(ORGS)), "{C}": ("LOC", random.choice(CITIES)),
                         "{A}": ("AMT", amount()), "{D}": ("DATE", date())}.get(w, (None, w))
            for i, tok in enumerate(val.split()):
                f.write(f"{tok}\t{'O' if kind is None else ('B-' if i == 0 else 'I-') + kind}\n")
        f.write("\n")
