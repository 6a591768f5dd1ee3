import random

random.seed(9)
N, K = 180, 4
topic = [random.randrange(K) for _ in range(N)]
with open("nodes.tsv", "w") as fh:
    fh.write("paper\ttopic\tsplit\tkeywords\n")
    for i, t in enumerate(topic):
        kw = sorted({random.randrange(40) if random.random() < 0.55 else 10 * t + random.randrange(10) for _ in range(6)})
        split = random.choices(["train", "val", "test"], [0.3, 0.2, 0.5])[0]
        fh.write(f"{i}\t{t}\t{split}\t{' '.join(map(str, kw))}\n")
with open("cites.tsv", "w") as fh:
    for _ in range(520):
        a = random.randrange(N)
        same = [j for j in range(N) if topic[j] == topic[a] and j != a]
        b = random.choice(same) if random.random() < 0.8 else random.randrange(N)
        if a != b:
            fh.write(f"{a}\t{b}\n")
