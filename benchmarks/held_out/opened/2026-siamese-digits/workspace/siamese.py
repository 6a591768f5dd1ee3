# Siamese network for digit verification (same digit / different digit)
import os
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import random
import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Input, Conv2D, MaxPooling2D, Flatten, Dense, Dropout, Lambda
from tensorflow.keras.models import Model
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

random.seed(1)
np.random.seed(1)
tf.random.set_seed(1)


def make_pairs(images, labels, n_pairs):
    idx = {d: np.where(labels == d)[0] for d in range(10)}
    left, right, target = [], [], []
    for i in range(n_pairs):
        d = random.randrange(10)
        a = random.choice(idx[d])
        if i % 2 == 0:
            b = random.choice(idx[d])
            t = 1.0
        else:
            other = (d + random.randrange(1, 10)) % 10
            b = random.choice(idx[other])
            t = 0.0
        left.append(images[a])
        right.append(images[b])
        target.append(t)
    return np.array(left), np.array(right), np.array(target, dtype='float32')


def base_network(input_shape):
    inp = Input(shape=input_shape)
    x = Conv2D(16, (3, 3), activation='relu', padding='same')(inp)
    x = MaxPooling2D((2, 2))(x)
    x = Conv2D(32, (3, 3), activation='relu', padding='same')(x)
    x = Flatten()(x)
    x = Dropout(0.1)(x)
    x = Dense(32, activation='relu')(x)
    return Model(inp, x, name='encoder')


digits = load_digits()
images = (digits.images / 16.0).astype('float32')[..., np.newaxis]
x_train, x_test, y_train, y_test = train_test_split(images, digits.target, test_size=0.3, random_state=1)

tr_a, tr_b, tr_y = make_pairs(x_train, y_train, 2000)
te_a, te_b, te_y = make_pairs(x_test, y_test, 500)
print('train pairs', tr_a.shape, tr_b.shape, tr_y.shape)

input_shape = x_train.shape[1:]
encoder = base_network(input_shape)
encoder.summary()

input_a = Input(shape=input_shape, name='left')
input_b = Input(shape=input_shape, name='right')
feat_a = encoder(input_a)
feat_b = encoder(input_b)

distance = tf.abs(feat_a - feat_b)
output = Dense(1, activation='sigmoid')(distance)

siamese = Model(inputs=[input_a, input_b], outputs=output)
siamese.compile(loss='binary_crossentropy', optimizer='adam', metrics=['accuracy'])

siamese.fit([tr_a, tr_b], tr_y, batch_size=64, epochs=5, validation_data=([te_a, te_b], te_y), verbose=2)

pred = siamese.predict([te_a, te_b], verbose=0).ravel()
print('accuracy on test pairs: %0.2f%%' % (100 * np.mean((pred > 0.5) == te_y)))
