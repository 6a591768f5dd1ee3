import keras
import numpy as np
from keras import layers
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

EPOCHS = 12
BATCH_SIZE = 32


def load_data():
    features, labels = load_breast_cancer(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(
        features, labels, test_size=0.25, random_state=7, stratify=labels
    )
    scaler = StandardScaler().fit(x_train)
    return (
        scaler.transform(x_train).astype("float32"),
        scaler.transform(x_test).astype("float32"),
        y_train.astype("float32"),
        y_test.astype("float32"),
    )


def build_model(width):
    model = keras.Sequential(
        [
            keras.Input(shape=(width,)),
            layers.Dense(64, activation="relu"),
            layers.Dropout(0.2),
            layers.Dense(32, activation="relu"),
            layers.Dense(1, activation="softmax"),
        ]
    )
    model.compile(
        optimizer=keras.optimizers.Adam(learning_rate=1e-3),
        loss="binary_crossentropy",
        metrics=["accuracy"],
    )
    return model


def main():
    keras.utils.set_random_seed(7)
    x_train, x_test, y_train, y_test = load_data()
    model = build_model(x_train.shape[1])
    model.fit(
        x_train,
        y_train,
        epochs=EPOCHS,
        batch_size=BATCH_SIZE,
        validation_split=0.2,
        verbose=2,
    )
    loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
    print(f"test loss {loss:.3f}, accuracy {accuracy:.3f}")
    print("predicted positive:", int(np.sum(model.predict(x_test, verbose=0) > 0.5)))


if __name__ == "__main__":
    main()
