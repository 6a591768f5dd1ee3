import argparse

import keras
import numpy as np
from sklearn.preprocessing import StandardScaler

from features import add_history, build_features, load_stores
from model import build_model
from sales import load_sales


def parse_args():
    p = argparse.ArgumentParser(description="Train the store demand model")
    p.add_argument("--stores", default="data/stores.csv")
    p.add_argument("--days", type=int, default=420)
    p.add_argument("--train-share", type=float, default=0.8)
    p.add_argument("--hidden", type=int, nargs="+", default=[64, 32])
    p.add_argument("--dropout", type=float, default=0.1)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def main():
    args = parse_args()
    keras.utils.set_random_seed(args.seed)

    history = add_history(load_sales(days=args.days))
    stores = load_stores(args.stores)
    print(f"{len(history)} store days, {history['date'].min():%Y-%m-%d} to "
          f"{history['date'].max():%Y-%m-%d}")

    features = build_features(history, stores)
    target = np.log1p(history["units"].to_numpy(dtype="float32"))
    print(f"{features.shape[1]} features: {', '.join(features.columns[:8])}, ...")

    split = int(len(history) * args.train_share)
    scaler = StandardScaler().fit(features[:split])
    x = scaler.transform(features).astype("float32")
    x_train, x_val = x[:split], x[split:]
    y_train, y_val = target[:split], target[split:]

    model = build_model(x.shape[1], args.hidden, args.dropout, args.lr)
    model.summary()
    model.fit(
        x_train,
        y_train,
        validation_data=(x_val, y_val),
        epochs=args.epochs,
        batch_size=args.batch_size,
        verbose=2,
    )

    pred = np.expm1(model.predict(x_val, verbose=0)[:, 0])
    actual = np.expm1(y_val)
    print(f"validation MAE: {np.abs(pred - actual).mean():.1f} units")
    model.save("demand.keras")


if __name__ == "__main__":
    main()
