import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
from sklearn.datasets import load_digits

np.random.seed(0)
tf.random.set_seed(0)

data = load_digits()
x = data.images / 16.0
y = data.target

x = x.reshape(-1, 8, 8, 1)

idx = np.random.permutation(len(x))
x, y = x[idx], y[idx]
x_train, x_test = x[:1400], x[1400:]
y_train, y_test = y[:1400], y[1400:]

y_train = keras.utils.to_categorical(y_train, 10)
y_test = keras.utils.to_categorical(y_test, 10)

model = keras.Sequential()
model.add(layers.Input(shape=(8, 8, 1)))
model.add(layers.Conv2D(16, (3, 3), activation='relu'))
model.add(layers.MaxPooling2D((2, 2)))
model.add(layers.Dense(32, activation='relu'))
model.add(layers.Dense(10, activation='softmax'))
model.compile(optimizer='adam', loss='categorical_crossentropy', metrics=['accuracy'])
model.summary()

model.fit(x_train, y_train, epochs=4, batch_size=32, validation_split=0.1, verbose=2)

loss, acc = model.evaluate(x_test, y_test, verbose=0)
print('test accuracy', acc)

img = x_test[0]
pred = model.predict(np.expand_dims(img, 0), verbose=0)
print('predicted', pred.argmax(), 'true', y_test[0].argmax())
