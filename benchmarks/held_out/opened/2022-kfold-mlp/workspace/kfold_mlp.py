import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

SEED = 42
EPOCHS = 4
BATCH_SIZE = 32
LEARNING_RATE = 1e-3
N_SPLITS = 4

np.random.seed(SEED)
tf.random.set_seed(SEED)

data = load_breast_cancer()
X, y = data.data.astype("float32"), data.target.astype("float32")
print("X:", X.shape, "y:", y.shape, "positives:", int(y.sum()))


def create_model(n_features, hidden=(32, 16), dropout=0.2):
    model = keras.Sequential()
    model.add(layers.Input(shape=(n_features,)))
    for units in hidden:
        model.add(layers.Dense(units, activation="relu"))
        model.add(layers.Dropout(dropout))
    model.add(layers.Dense(1, activation="sigmoid"))
    return model


kfold = StratifiedKFold(n_splits=N_SPLITS, shuffle=True, random_state=SEED)
optimizer = keras.optimizers.Adam(learning_rate=LEARNING_RATE)

fold_scores = []
for fold, (train_idx, val_idx) in enumerate(kfold.split(X, y), start=1):
    print(f"--- Fold {fold}/{N_SPLITS} ---")

    # fit the scaler on the training part only
    scaler = StandardScaler()
    X_train = scaler.fit_transform(X[train_idx])
    X_val = scaler.transform(X[val_idx])
    y_train, y_val = y[train_idx], y[val_idx]

    model = create_model(X.shape[1])
    model.compile(
        optimizer=optimizer,
        loss="binary_crossentropy",
        metrics=["accuracy"],
    )

    model.fit(
        X_train, y_train,
        epochs=EPOCHS,
        batch_size=BATCH_SIZE,
        validation_data=(X_val, y_val),
        verbose=2,
    )

    loss, acc = model.evaluate(X_val, y_val, verbose=0)
    print(f"Fold {fold}: loss={loss:.4f} acc={acc:.4f}")
    fold_scores.append(acc)

print("Mean accuracy: %.4f (+/- %.4f)" % (np.mean(fold_scores), np.std(fold_scores)))
