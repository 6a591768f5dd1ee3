import argparse

import numpy as np

p = argparse.ArgumentParser()
p.add_argument("--out", default="recordings.npz")
p.add_argument("--subjects", type=int, default=6)
p.add_argument("--channels", type=int, default=6)
p.add_argument("--length", type=int, default=128)
a = p.parse_args()

rng = np.random.default_rng(11)
ACTIVITIES = ["sit", "walk", "run", "cycle"]
FREQ = [0.3, 1.6, 2.8, 1.0]

signals, activity, subject = [], [], []
t = np.linspace(0, 4, a.length)
for s in range(a.subjects):
    gait = rng.normal(0, 0.1)
    for k, f in enumerate(FREQ):
        for _ in range(20):
            phase = rng.uniform(0, 2 * np.pi, (a.channels, 1))
            amp = rng.uniform(0.5, 1.5, (a.channels, 1)) * (0.3 + 0.4 * k)
            x = amp * np.sin(2 * np.pi * (f + gait) * t + phase)
            signals.append(x + rng.normal(0, 0.2, x.shape))
            activity.append(k)
            subject.append(s)

np.savez(
    a.out,
    signals=np.asarray(signals, dtype=np.float32),
    activity=np.asarray(activity),
    subject=np.asarray(subject),
    names=np.array(ACTIVITIES),
)
print(f"wrote {len(signals)} windows to {a.out}")
