"""Writes recordings.csv: accelerometer traces of six subjects."""
import numpy as np
import pandas as pd

ACTIVITIES = {"lying": (0.0, 0.02), "sitting": (0.2, 0.05), "walking": (1.8, 0.6), "running": (3.0, 1.4)}


def main():
    rng = np.random.default_rng(11)
    frames = []
    for s in range(1, 7):
        for name, (freq, amp) in ACTIVITIES.items():
            t = np.arange(160) / 20.0
            phase = rng.uniform(0, 2 * np.pi, 3)
            base = np.array([0.0, 0.0, 1.0]) if name != "lying" else np.array([1.0, 0.0, 0.0])
            signal = base + amp * np.sin(2 * np.pi * freq * t[:, None] + phase) + rng.normal(0, 0.05, (t.size, 3))
            frame = pd.DataFrame(signal.round(3), columns=["ax", "ay", "az"])
            frame.insert(0, "subject", f"s{s:02d}")
            frame.insert(1, "activity", name)
            frames.append(frame)
    pd.concat(frames).to_csv("recordings.csv", index=False)


if __name__ == "__main__":
    main()
