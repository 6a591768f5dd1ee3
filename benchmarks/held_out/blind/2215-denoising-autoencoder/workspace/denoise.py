import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
from keras import layers, models, optimizers, utils

utils.set_random_seed(0)

# ---- fake digits: bright strokes on a dark 28x28 background
rng = np.random.default_rng(0)


def strokes(n):
    imgs = np.zeros((n, 28, 28), dtype="float32")
    for img in imgs:
        for _ in range(3):
            r, c = rng.integers(3, 20, size=2)
            if rng.random() > 0.5:
                img[r : r + 2, c : c + 8] = 1.0
            else:
                img[r : r + 8, c : c + 2] = 1.0
    return imgs[..., None]


x_train = strokes(512)
x_test = strokes(128)

noise_factor = 0.4
x_train_noisy = np.clip(x_train + noise_factor * rng.normal(size=x_train.shape), 0.0, 1.0)
x_test_noisy = np.clip(x_test + noise_factor * rng.normal(size=x_test.shape), 0.0, 1.0)

# ---- encoder
inp = layers.Input(shape=(28, 28, 1))
x = layers.Conv2D(16, (3, 3), activation="relu", padding="same")(inp)
x = layers.MaxPooling2D((2, 2), padding="same")(x)
x = layers.Conv2D(8, (3, 3), activation="relu", padding="same")(x)
x = layers.MaxPooling2D((2, 2), padding="same")(x)
x = layers.Conv2D(8, (3, 3), activation="relu", padding="same")(x)
encoded = layers.MaxPooling2D((2, 2), padding="same", name="code")(x)

# ---- decoder
x = layers.Conv2D(8, (3, 3), activation="relu", padding="same")(encoded)
x = layers.UpSampling2D((2, 2))(x)
x = layers.Conv2D(8, (3, 3), activation="relu", padding="same")(x)
x = layers.UpSampling2D((2, 2))(x)
x = layers.Conv2D(16, (3, 3), activation="relu", padding="same")(x)
x = layers.UpSampling2D((2, 2))(x)
decoded = layers.Conv2D(1, (3, 3), activation="sigmoid", padding="same")(x)

autoencoder = models.Model(inp, decoded)
autoencoder.compile(optimizer=optimizers.Adam(1e-3), loss="binary_crossentropy")
print("code size:", encoded.shape[1:])

autoencoder.fit(
    x_train_noisy,
    x_train,
    epochs=2,
    batch_size=64,
    shuffle=True,
    validation_data=(x_test_noisy, x_test),
    verbose=2,
)

clean = autoencoder.predict(x_test_noisy, verbose=0)
print("mse noisy   ", float(((x_test_noisy - x_test) ** 2).mean()))
print("mse denoised", float(((clean - x_test) ** 2).mean()))
