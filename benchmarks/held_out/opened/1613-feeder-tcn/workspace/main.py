import tomllib

import keras

from load_profile import add_features, make_profile
from network import build_network, compile_network
from windows import WindowMaker


def main():
    with open("settings.toml", "rb") as f:
        cfg = tomllib.load(f)
    keras.utils.set_random_seed(3)

    frame = add_features(make_profile(cfg["data"]["days"], cfg["data"]["step_minutes"]))
    cut = int(len(frame) * (1 - cfg["data"]["val_fraction"]))
    make = WindowMaker(cfg).fit(frame.iloc[:cut])
    x_train, y_train = make(frame.iloc[:cut])
    x_val, y_val = make(frame.iloc[cut:])
    print(f"windows: {len(x_train)} train, {len(x_val)} val, {x_train.shape[2]} features")

    model = compile_network(build_network(x_train.shape[1], x_train.shape[2], cfg), cfg)
    model.fit(
        x_train, y_train,
        validation_data=(x_val, y_val),
        epochs=cfg["fit"]["epochs"],
        batch_size=cfg["fit"]["batch_size"],
        callbacks=[keras.callbacks.ReduceLROnPlateau(patience=2)],
        verbose=2,
    )
    model.save("feeder_tcn.keras")


if __name__ == "__main__":
    main()
