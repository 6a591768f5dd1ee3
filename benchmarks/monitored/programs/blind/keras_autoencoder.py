# metric: reconstruction error ([\d.]+|nan) lower
import keras
import numpy as np
from keras.layers import Dense, Input
from keras.models import Model
from sklearn.datasets import load_digits

keras.utils.set_random_seed(15)
x = load_digits().data.astype("float32") / 16
np.random.shuffle(x)
x_train, x_test = x[:1500], x[1500:]

input_img = Input(shape=(64,))
encoded = Dense(40, activation="relu")(input_img)
encoded = Dense(16, activation="relu")(encoded)
decoded = Dense(40, activation="relu")(encoded)
decoded = Dense(64, activation="sigmoid")(decoded)
autoencoder = Model(input_img, decoded)
autoencoder.compile(optimizer=keras.optimizers.Adam(learning_rate=0.002), loss="mse")
autoencoder.fit(x_train, x_train, epochs=12, batch_size=64, shuffle=True, validation_data=(x_test, x_test), verbose=2)
print(f"reconstruction error {autoencoder.evaluate(x_test, x_test, verbose=0):.5f}")
