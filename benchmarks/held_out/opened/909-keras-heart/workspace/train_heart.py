# Heart disease severity (0 none / 1 mild / 2 severe) from tabular records.
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import pandas as pd
from sklearn.metrics import classification_report
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

tf.random.set_seed(42)
np.random.seed(42)

NUMERIC = ["age", "trestbps", "chol", "thalach", "oldpeak", "ca"]
CATEGORICAL = ["sex", "cp", "restecg", "exang"]
TARGET = "severity"


def read_table(path):
    df = pd.read_csv(path, na_values=["?"])
    df[NUMERIC] = df[NUMERIC].fillna(df[NUMERIC].median())
    print("loaded", df.shape)
    return df


def build_features(train_df, test_df):
    scaler = StandardScaler()
    num_train = scaler.fit_transform(train_df[NUMERIC])
    num_test = scaler.transform(test_df[NUMERIC])

    cat_train = pd.get_dummies(train_df[CATEGORICAL].astype(str))
    cat_test = pd.get_dummies(test_df[CATEGORICAL].astype(str))
    cat_test = cat_test.reindex(columns=cat_train.columns, fill_value=False)

    x_train = np.hstack([num_train, cat_train.to_numpy()]).astype("float32")
    x_test = np.hstack([num_test, cat_test.to_numpy()]).astype("float32")
    return x_train, x_test


def build_model(n_features, n_classes):
    inputs = keras.Input(shape=(n_features,), name="record")
    x = layers.Dense(32, activation="relu")(inputs)
    x = layers.Dropout(0.2)(x)
    x = layers.Dense(16, activation="relu")(x)
    outputs = layers.Dense(n_classes, activation="softmax", name="severity")(x)
    model = keras.Model(inputs, outputs)
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss="categorical_crossentropy",
        metrics=["accuracy"],
    )
    return model


def main():
    df = read_table("heart.csv")
    train_df, test_df = train_test_split(
        df, test_size=0.2, stratify=df[TARGET], random_state=42
    )
    x_train, x_test = build_features(train_df, test_df)
    y_train = train_df[TARGET].to_numpy()
    y_test = test_df[TARGET].to_numpy()
    print("features:", x_train.shape, x_test.shape)

    model = build_model(x_train.shape[1], n_classes=df[TARGET].nunique())
    model.summary()

    stop = keras.callbacks.EarlyStopping(monitor="val_loss", patience=3, restore_best_weights=True)
    model.fit(
        x_train,
        y_train,
        validation_split=0.15,
        epochs=6,
        batch_size=16,
        callbacks=[stop],
        verbose=2,
    )

    loss, acc = model.evaluate(x_test, y_test, verbose=0)
    print(f"test loss {loss:.3f}  acc {acc:.3f}")
    pred = model.predict(x_test, verbose=0).argmax(axis=1)
    print(classification_report(y_test, pred, zero_division=0))


if __name__ == "__main__":
    main()
