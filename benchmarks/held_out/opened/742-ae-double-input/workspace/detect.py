import tomllib

import numpy as np
import tensorflow as tf

from autoencoder import AutoEncoder
from loop import train
from sensor import cut_windows, read_sensor


def main():
    with open("hparams.toml", "rb") as f:
        hp = tomllib.load(f)
    tf.random.set_seed(0)
    values = read_sensor(hp["sensor_file"])
    windows = cut_windows(values, hp["window"])
    cut = len(windows) * 2 // 3
    model = AutoEncoder(hp["window"], hp["hidden"], hp["latent"])
    train(model, windows[:cut], hp)
    limit = np.quantile(model.errors(windows[:cut]).numpy(), hp["threshold_quantile"])
    flags = model.errors(windows[cut:]).numpy() > limit
    print(f"limit {limit:.5f}, {flags.sum()} of {len(flags)} windows flagged")


if __name__ == "__main__":
    main()
