import numpy as np

ACTIVITIES = ["sitting", "walking", "running"]


def load(path):
    with np.load(path) as f:
        return f["signals"].astype("float32"), f["labels"].astype("int32")
