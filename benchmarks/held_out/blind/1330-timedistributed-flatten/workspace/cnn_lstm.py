import numpy as np
from tensorflow.keras import Sequential, Input
from tensorflow.keras.layers import (Conv2D, MaxPooling2D, Flatten, LSTM, Dense,
                                     TimeDistributed, Dropout)

frames, H, W, C = 6, 24, 24, 1
n_classes = 4

X = np.random.rand(16, frames, H, W, C)
y = np.eye(n_classes)[np.random.randint(0, n_classes, 16)]


def cnn_lstm():
    model = Sequential()
    model.add(Input(shape=(frames, H, W, C)))
    model.add(TimeDistributed(Conv2D(8, (3, 3), activation='relu')))
    model.add(TimeDistributed(MaxPooling2D((2, 2))))
    model.add(TimeDistributed(Conv2D(16, (3, 3), activation='relu')))
    model.add(TimeDistributed(MaxPooling2D((2, 2))))
    model.add(Dropout(0.3))
    model.add(LSTM(24, return_sequences=False))
    model.add(Dense(16, activation='relu'))
    model.add(Dense(n_classes, activation='softmax'))
    return model


model = cnn_lstm()
model.compile(loss='categorical_crossentropy', optimizer='rmsprop', metrics=['accuracy'])
print(model.output_shape)
model.fit(X, y, batch_size=4, epochs=1, verbose=2)
