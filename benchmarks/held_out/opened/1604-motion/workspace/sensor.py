"""Simulated wrist recordings and windowing."""
import numpy as np
import pandas as pd

CHANNELS = ["acc_x", "acc_y", "acc_z", "gyr_x", "gyr_y", "gyr_z"]
ACTIVITIES = {
    "rest": (0.2, 0.05),
    "walk": (1.8, 0.6),
    "run": (2.8, 1.4),
    "stairs": (1.4, 0.8),
}


def load_recordings(rate, seed, sessions=5):
    """One row per sample: session, activity and the six channels."""
    rng = np.random.default_rng(seed)
    parts = []
    for session in range(sessions):
        for activity, (freq, amp) in ACTIVITIES.items():
            n = int(rng.uniform(35, 60) * rate)
            t = np.arange(n)[:, None] / rate
            f = freq * rng.uniform(0.9, 1.1)
            phase = rng.uniform(0, 2 * np.pi, len(CHANNELS))
            gain = amp * rng.uniform(0.6, 1.4, len(CHANNELS))
            values = gain * np.sin(2 * np.pi * f * t + phase)
            values += rng.normal(0, 0.2, values.shape)
            part = pd.DataFrame(values.astype("float32"), columns=CHANNELS)
            part.insert(0, "activity", activity)
            part.insert(0, "session", session)
            parts.append(part)
    return pd.concat(parts, ignore_index=True)


def make_windows(frame, size, step):
    """Overlapping windows (n, size, channels) that never cross a recording."""
    windows, labels, sessions = [], [], []
    for (session, activity), part in frame.groupby(["session", "activity"]):
        values = part[CHANNELS].to_numpy()
        for start in range(0, len(values) - size + 1, step):
            windows.append(values[start : start + size])
            labels.append(activity)
            sessions.append(session)
    return np.stack(windows), np.array(labels), np.array(sessions)
