import json
import os
from collections import Counter

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras

from build import build_model
from prep import prepare


def load_params(path="params.json"):
    with open(path) as f:
        return json.load(f)


def main():
    params = load_params()
    keras.utils.set_random_seed(1)
    (x_train, y_train), (x_test, y_test), sizes = prepare(params)
    print("train rows:", len(y_train), "test rows:", len(y_test), "category sizes:", sizes)

    model = build_model(params, sizes)
    print("parameters:", model.count_params())
    model.fit(
        x_train, y_train,
        validation_data=(x_test, y_test),
        epochs=params["epochs"], batch_size=params["batch_size"], verbose=2,
    )

    loss, acc = model.evaluate(x_test, y_test, verbose=0)
    print(f"test loss {loss:.3f}, accuracy {acc:.3f}")
    picks = model.predict(x_test, verbose=0).argmax(axis=1)
    print(Counter(params["grades"][k] for k in picks))


if __name__ == "__main__":
    main()
