import random
import re

FRIENDLY = ["thanks", "great", "helpful", "love", "agree", "nice", "welcome", "cheers"]
RUDE = ["idiot", "garbage", "stupid", "shut", "clown", "pathetic", "liar", "trash"]
FILLER = ["the", "post", "about", "this", "engine", "you", "really", "was", "again", "it", "with", "brakes"]


def make_posts(n, seed):
    rnd = random.Random(seed)
    posts = []
    for i in range(n):
        toxic = rnd.random() < 0.3
        words = rnd.choices(FILLER, k=rnd.randint(4, 12))
        for _ in range(rnd.randint(1, 3)):
            words.insert(rnd.randrange(len(words)), rnd.choice(RUDE if toxic else FRIENDLY))
        posts.append({"id": f"p{i:05d}", "text": " ".join(words), "toxic": int(toxic)})
    return posts


def tokens(text):
    return re.findall(r"[a-z']+", text.lower())


class HashedBag:
    """Hash words and bigrams into a fixed number of buckets."""

    def __init__(self, buckets):
        self.buckets = buckets

    def _bucket(self, s):
        h = 2166136261
        for ch in s.encode():
            h = ((h ^ ch) * 16777619) & 0xFFFFFFFF
        return h % self.buckets

    def __call__(self, text):
        w = tokens(text)
        return [self._bucket(t) for t in w + [a + "_" + b for a, b in zip(w, w[1:])]]
