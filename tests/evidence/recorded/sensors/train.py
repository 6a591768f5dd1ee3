"""Predict the next hour from the last one: python train.py"""
import numpy as np
import pandas as pd

CHANNELS = 4


class Linear:
    def __init__(self, channels):
        self.weight = np.zeros((channels, channels))

    def __call__(self, x):
        return x @ self.weight


def load(path):
    table = pd.read_csv(path)
    values = table.to_numpy(dtype="float32")
    return values[:-1], values[1:]


def main():
    x, y = load("data/readings.csv")
    model = Linear(CHANNELS)
    error = model(x) - y
    print("mean squared error", (error**2).mean())


main()
