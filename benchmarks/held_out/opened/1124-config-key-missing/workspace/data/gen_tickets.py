import json, os, random
random.seed(21)
here = os.path.dirname(os.path.abspath(__file__))
topics = {
    "billing": "invoice charged twice refund card payment vat receipt amount plan".split(),
    "login": "password reset locked account code email sign token expired browser".split(),
    "shipping": "parcel courier late address tracking depot damaged box return label".split(),
    "bug": "crash error page freeze button update version screen export slow".split(),
}
filler = "please the my since yesterday help still is not again with a why cannot can you hello thanks".split()
with open(os.path.join(here, "tickets.jsonl"), "w") as fh:
    for i in range(900):
        topic = random.choice(list(topics))
        words = random.choices(topics[topic], k=random.randint(2, 5)) + random.choices(filler, k=random.randint(3, 9))
        if random.random() < 0.15:
            words.append(random.choice(topics[random.choice(list(topics))]))
        random.shuffle(words)
        fh.write(json.dumps({"id": i, "text": " ".join(words), "queue": topic}) + "\n")
with open(os.path.join(here, "requests.json"), "w") as fh:
    json.dump(["hello my invoice was charged twice", "parcel is late and the box damaged",
               "cannot sign in, the reset code is expired"], fh, indent=2)
