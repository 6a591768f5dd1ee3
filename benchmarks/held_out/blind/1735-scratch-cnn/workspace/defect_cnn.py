import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models

IMG_H = 32
IMG_W = 48


def load_images(n, seed):
    """grayscale pictures of metal parts, half of them with a scratch"""
    rng = np.random.default_rng(seed)
    imgs = rng.integers(80, 120, size=(n, IMG_W, IMG_H)).astype("uint8")
    labels = rng.integers(0, 2, size=n)
    for k in range(n):
        if labels[k]:
            r = rng.integers(4, IMG_H - 4)
            imgs[k, r:r + 2, 5:40] = 230
    return imgs, labels


def preprocess(imgs):
    imgs = imgs.astype("float32") / 255.0
    imgs = np.expand_dims(imgs, -1)
    return imgs


def build_model():
    inp = layers.Input(shape=(IMG_H, IMG_W, 1))
    x = layers.Conv2D(8, 3, activation="relu", padding="same")(inp)
    x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(16, 3, activation="relu", padding="same")(x)
    x = layers.MaxPooling2D()(x)
    x = layers.GlobalMaxPooling2D()(x)
    x = layers.Dense(16, activation="relu")(x)
    out = layers.Dense(1, activation="sigmoid")(x)
    m = models.Model(inp, out)
    m.compile(optimizer=tf.keras.optimizers.Adam(0.003), loss="binary_crossentropy", metrics=["accuracy"])
    return m


tf.keras.utils.set_random_seed(5)
x_train, y_train = load_images(400, 0)
x_val, y_val = load_images(80, 1)
x_train = preprocess(x_train)
x_val = preprocess(x_val)

model = build_model()
history = model.fit(x_train, y_train, epochs=4, batch_size=32, validation_data=(x_val, y_val), verbose=2)
print("best val acc", max(history.history["val_accuracy"]))

# try it on one new picture
pics, truth = load_images(1, 99)
p = model.predict(preprocess(pics), verbose=0)[0][0]
print("scratch probability: %.2f, truth: %d" % (p, truth[0]))
