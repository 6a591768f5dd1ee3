# metric: wine test accuracy ([\d.]+) higher
import numpy as np
from keras import callbacks, layers, models, optimizers, utils
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

utils.set_random_seed(6)
X, y = load_wine(return_X_y=True)
X = MinMaxScaler().fit_transform(X)
Y = utils.to_categorical(y, 3)
X_train, X_test, Y_train, Y_test = train_test_split(X, Y, test_size=0.3, random_state=6)

HIDDEN = [32, 32, 16]


def build():
    model = models.Sequential([layers.Input(shape=(13,))])
    for width in HIDDEN:
        model.add(layers.Dense(width, activation="tanh"))
    model.add(layers.Dense(3, activation="softmax"))
    return model


model = build()
optimizer = optimizers.RMSprop(learning_rate=0.002)
model.compile(optimizer=optimizer, loss="categorical_crossentropy", metrics=["accuracy"])
model.fit(
    X_train,
    Y_train,
    epochs=40,
    batch_size=8,
    verbose=2,
    callbacks=[callbacks.ReduceLROnPlateau(monitor="loss", patience=6)],
)
print("wine test accuracy", round(model.evaluate(X_test, Y_test, verbose=0)[1], 4))
