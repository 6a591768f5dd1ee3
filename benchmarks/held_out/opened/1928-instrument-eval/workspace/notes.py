import numpy as np

SR = 11025
FAMILIES = ("plucked", "bowed", "blown", "struck")


def render(family, f0, rng, seconds=0.5):
    t = np.arange(int(SR * seconds)) / SR
    if family == "plucked":
        amps, env = [1 / k for k in range(1, 9)], np.exp(-5 * t)
    elif family == "bowed":
        amps, env = [1 / k ** 0.7 for k in range(1, 11)], np.minimum(1, t / 0.12)
        f0 = f0 * (1 + 0.006 * np.sin(2 * np.pi * 5.5 * t))
    elif family == "blown":
        amps, env = [1.0, 0, 0.5, 0, 0.3, 0, 0.1], np.minimum(1, t / 0.05)
    else:
        amps, env = [1.0, 0.1, 0.0, 0.7, 0.0, 0.4], np.exp(-9 * t)
    phase = 2 * np.pi * np.cumsum(np.broadcast_to(f0, t.shape)) / SR
    y = sum(a * np.sin(k * phase + rng.uniform(0, 6.28)) for k, a in enumerate(amps, 1))
    return (y * env).astype(np.float32)


def corpus(n, seed, snr_db=20.0):
    rng = np.random.default_rng(seed)
    waves, labels = [], []
    for i in range(n):
        label = i % len(FAMILIES)
        y = render(FAMILIES[label], rng.uniform(150, 700), rng)
        noise = rng.standard_normal(len(y)).astype(np.float32)
        noise *= np.sqrt((y ** 2).mean() / 10 ** (snr_db / 10))
        waves.append(y + noise)
        labels.append(label)
    return waves, np.array(labels)
