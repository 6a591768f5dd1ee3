import argparse

import keras
import numpy as np
from sklearn.metrics import classification_report

import custom_layers
from dataset import ACTIVITIES, load


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="activity.keras")
    parser.add_argument("--data", default="data/test.npz")
    args = parser.parse_args()

    x, y = load(args.data)
    print("test windows:", x.shape)

    model = keras.models.load_model(args.model)
    probs = model.predict(x, batch_size=64, verbose=0)
    pred = np.argmax(probs, axis=1)
    print(classification_report(y, pred, target_names=ACTIVITIES, digits=3))


if __name__ == "__main__":
    main()
