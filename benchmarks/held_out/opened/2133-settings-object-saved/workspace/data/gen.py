import random

random.seed(3)
who = ["the old sailor", "a grey cat", "my sister", "the baker", "one small boy"]
did = ["walked to", "looked at", "dreamt of", "ran from", "wrote about"]
what = ["the harbour", "an empty road", "the green hill", "her garden", "the night train"]
lines = [f"{random.choice(who)} {random.choice(did)} {random.choice(what)}." for _ in range(260)]
open("data/stories.txt", "w").write("\n".join(lines) + "\n")
