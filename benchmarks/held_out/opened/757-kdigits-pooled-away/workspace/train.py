import yaml
from tensorflow import keras

from digits.data import load, to_dataset
from digits.model import build_model, make_optimizer


def main():
    with open("settings.yaml") as fh:
        cfg = yaml.safe_load(fh)
    keras.utils.set_random_seed(cfg["seed"])
    x_train, x_test, y_train, y_test = load(cfg["seed"])
    train = to_dataset(x_train, y_train, cfg["batch_size"], cfg["classes"], training=True)
    test = to_dataset(x_test, y_test, cfg["batch_size"], cfg["classes"])

    model = build_model(cfg)
    model.compile(
        optimizer=make_optimizer(cfg["optimizer"]),
        loss="categorical_crossentropy",
        metrics=["accuracy"],
    )
    model.fit(train, validation_data=test, epochs=cfg["epochs"], verbose=2)
    loss, acc = model.evaluate(test, verbose=0)
    print(f"test loss {loss:.4f} accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
