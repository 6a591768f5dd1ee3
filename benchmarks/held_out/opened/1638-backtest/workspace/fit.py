import keras

import options
import series
from layers import LowRankDense, Seasonal


def build(history, horizon, rank):
    inputs = keras.Input((history, 2))
    x = Seasonal(harmonics=3)(inputs)
    x = keras.layers.Conv1D(16, 3, padding="causal", activation="relu")(x)
    x = keras.layers.Flatten()(x)
    x = LowRankDense(64, rank=rank, activation="relu")(x)
    outputs = LowRankDense(horizon, rank=rank)(x)
    model = keras.Model(inputs, outputs)
    model.compile(optimizer=keras.optimizers.Adam(2e-3), loss="mse", metrics=["mae"])
    return model


def main():
    args = options.parse("Fit the demand model")
    keras.utils.set_random_seed(0)
    x, y = series.windows(series.hourly_demand(1500, seed=0), args.history, args.horizon)
    model = build(args.history, args.horizon, args.rank)
    model.fit(x, y, validation_split=0.2, epochs=args.epochs, batch_size=64, verbose=2)
    model.save(args.out)
    print("saved", args.out)


if __name__ == "__main__":
    main()
