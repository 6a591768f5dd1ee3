import keras
import numpy as np

import layers  # noqa: F401
import options
import series


def main():
    args = options.parse("Score the saved demand model on new data")
    x, y = series.windows(series.hourly_demand(600, seed=1), args.history, args.horizon)
    model = keras.saving.load_model(args.out)
    error = np.abs(model.predict(x, verbose=0) - y).mean(axis=0)
    for step, value in enumerate(error, 1):
        print(f"hour +{step}: MAE {value:.3f}")


if __name__ == "__main__":
    main()
