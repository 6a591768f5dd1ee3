import numpy as np


def steps(hours, step_minutes):
    return int(hours * 60 // step_minutes)


class WindowMaker:
    def __init__(self, cfg):
        minutes = cfg["data"]["step_minutes"]
        self.lookback = steps(cfg["window"]["lookback_hours"], minutes)
        self.horizon = steps(cfg["window"]["horizon_hours"], minutes)
        self.stride = cfg["window"]["stride_steps"]

    def fit(self, frame):
        self.mean = frame.mean()
        self.std = frame.std().replace(0, 1)
        return self

    def __call__(self, frame, target="load"):
        scaled = ((frame - self.mean) / self.std).to_numpy(np.float32)
        col = frame.columns.get_loc(target)
        last = len(scaled) - self.lookback - self.horizon
        starts = np.arange(0, last + 1, self.stride)
        x = np.stack([scaled[s:s + self.lookback] for s in starts])
        y = np.stack([scaled[s + self.lookback:s + self.lookback + self.horizon, col] for s in starts])
        return x, y
