import numpy as np
from keras import layers, models, ops

EMB = 16


def encoder():
    inp = layers.Input((40, 3))
    x = layers.Conv1D(16, 5, activation="relu")(inp)
    x = layers.GlobalMaxPooling1D()(x)
    x = layers.Dense(EMB)(x)
    return models.Model(inp, x, name="encoder")


enc = encoder()
left = layers.Input((40, 3), name="left")
right = layers.Input((40, 3), name="right")
a = enc(left)
b = enc(right)

diff = layers.Lambda(lambda t: ops.abs(t[0] - t[1]), output_shape=(EMB,))([a, b])
prod = layers.Multiply()([a, b])
feat = layers.Concatenate(axis=-1)(diff, prod)
feat = layers.Dense(8, activation="relu")(feat)
score = layers.Dense(1, activation="sigmoid")(feat)

siamese = models.Model([left, right], score)
siamese.compile("adam", "binary_crossentropy", metrics=["accuracy"])

X1 = np.random.normal(size=(64, 40, 3))
X2 = np.random.normal(size=(64, 40, 3))
same = np.random.randint(0, 2, size=64)
siamese.fit([X1, X2], same, epochs=1, verbose=2)
