# metric: Test accuracy: ([\d.]+) higher
import numpy as np
from keras import layers, models, optimizers, utils
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

utils.set_random_seed(1)
images, labels = load_digits(return_X_y=True)
images = images.reshape(-1, 8, 8, 1).astype("float32") / 16.0
x_train, x_test, y_train, y_test = train_test_split(images, labels, test_size=0.2, random_state=1)

model = models.Sequential()
model.add(layers.Input(shape=(8, 8, 1)))
model.add(layers.Conv2D(16, (3, 3), activation="relu", padding="same"))
model.add(layers.MaxPooling2D((2, 2)))
model.add(layers.Conv2D(32, (3, 3), activation="relu"))
model.add(layers.Flatten())
model.add(layers.Dense(64, activation="relu"))
model.add(layers.Dense(10, activation="softmax"))
model.compile(
    optimizer=optimizers.Adam(learning_rate=0.003),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
model.fit(x_train, y_train, epochs=8, batch_size=32, validation_split=0.1, verbose=2)
loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
print(f"Test accuracy: {accuracy:.4f}")
