import numpy as np
import tensorflow as tf
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Input, Conv2D, MaxPooling2D, Flatten, Dense, Dropout

np.random.seed(10)
tf.random.set_seed(10)

IMG = 24


def make_images(n):
    """0 = horizontal stripes, 1 = vertical stripes (stand-in for my ok / defect photos)"""
    X = np.zeros((n, IMG, IMG, 1), dtype=np.float32)
    Y = np.random.randint(0, 2, size=n)
    for i in range(n):
        period = np.random.randint(3, 7)
        phase = np.random.randint(0, period)
        stripe = ((np.arange(IMG) + phase) % period < period / 2).astype(np.float32)
        if Y[i] == 0:
            X[i, :, :, 0] = stripe[:, None]
        else:
            X[i, :, :, 0] = stripe[None, :]
    X += np.random.normal(0, 0.3, X.shape).astype(np.float32)
    return X, Y


X_train, Y_train = make_images(600)
X_val, Y_val = make_images(200)
print('Train:', X_train.shape, ' class balance:', np.bincount(Y_train))
print('Val:  ', X_val.shape, ' class balance:', np.bincount(Y_val))

model = Sequential()
model.add(Input(shape=(IMG, IMG, 1)))
model.add(Conv2D(16, (3, 3), activation='relu'))
model.add(MaxPooling2D(pool_size=(2, 2)))
model.add(Conv2D(32, (3, 3), activation='relu'))
model.add(MaxPooling2D(pool_size=(2, 2)))
model.add(Flatten())
model.add(Dense(64, activation='relu'))
model.add(Dropout(0.3))
model.add(Dense(1, activation='softmax'))

model.compile(loss='binary_crossentropy',
              optimizer=tf.keras.optimizers.Adam(learning_rate=0.001),
              metrics=['accuracy'])

history = model.fit(X_train, Y_train,
                    batch_size=32,
                    epochs=8,
                    validation_data=(X_val, Y_val),
                    verbose=2)

best = max(history.history['val_accuracy'])
print('Best val accuracy: {:.3f}'.format(best))

probs = model.predict(X_val[:10], verbose=0)
print('predictions:', np.round(probs.ravel(), 3))
print('labels:     ', Y_val[:10])
