import numpy as np

SAMPLE_RATE = 4000
WORDS = ("up", "down", "flat", "noise")


def synth_clip(word, rng, seconds=0.5):
    t = np.arange(int(SAMPLE_RATE * seconds)) / SAMPLE_RATE
    f0 = rng.uniform(300, 500)
    slope = {"up": 900.0, "down": -400.0, "flat": 0.0}.get(word)
    if slope is None:
        clip = rng.normal(0, 0.5, t.size)
    else:
        clip = np.sin(2 * np.pi * (f0 * t + 0.5 * slope * t**2))
    return (clip + rng.normal(0, 0.1, t.size)).astype("float32")


def make_dataset(n, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(WORDS), n)
    clips = np.stack([synth_clip(WORDS[i], rng) for i in labels])
    return clips, labels.astype("int32")
