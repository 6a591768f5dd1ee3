"""data/changelog.txt: commit-like lines to pretrain on"""
import pathlib
import random

random.seed(77)
verbs = "fix add remove refactor document rename speed-up deprecate revert simplify test".split()
things = """config loader|retry logic|tokenizer cache|progress bar|csv reader|login form|date parser|thread pool|
sampler|metrics endpoint|docker image|type hints|shape check|scheduler|checkpoint writer|unit tests|error message|
memory leak|race condition|command line|changelog|plugin hooks|dark theme|search index""".replace("\n", "").split("|")
reasons = ["on windows", "for python 3.12", "when the file is empty", "after a timeout", "in the nightly build",
           "reported by users", "without internet access", "for large inputs", "before the release", ""]
scopes = "core cli docs api ui tests build deps".split()
out = []
for _ in range(1600):
    line = f"{random.choice(scopes)}: {random.choice(verbs)} {random.choice(things)} {random.choice(reasons)}".strip()
    if random.random() < 0.3:
        line += f" (#{random.randint(10, 999)})"
    out.append(line)
pathlib.Path(__file__).with_name("changelog.txt").write_text("\n".join(out) + "\n")
