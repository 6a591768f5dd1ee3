import os
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import random
import numpy as np
import tensorflow as tf
from tensorflow.keras import Input, Model, layers, ops

random.seed(12)
np.random.seed(12)
tf.random.set_seed(12)

IMG = 16
N_IDENTITIES = 6
PER_IDENTITY = 12
BATCH = 16


def fake_signatures():
    """ identity -> array of (PER_IDENTITY, IMG, IMG, 1) """
    data = {}
    for k in range(N_IDENTITIES):
        proto = np.random.rand(IMG, IMG, 1)
        data[k] = np.clip(proto + 0.2 * np.random.randn(PER_IDENTITY, IMG, IMG, 1), 0, 1).astype('float32')
    return data


def generate_batch(data, batch_size=BATCH):
    keys = list(data.keys())
    while True:
        left = np.zeros((batch_size, IMG, IMG, 1), dtype='float32')
        right = np.zeros((batch_size, IMG, IMG, 1), dtype='float32')
        targets = np.zeros((batch_size,), dtype='float32')
        for i in range(batch_size):
            if i % 2 == 0:
                k = random.choice(keys)
                a, b = random.sample(range(PER_IDENTITY), 2)
                left[i], right[i] = data[k][a], data[k][b]
                targets[i] = 1
            else:
                k1, k2 = random.sample(keys, 2)
                left[i] = data[k1][random.randrange(PER_IDENTITY)]
                right[i] = data[k2][random.randrange(PER_IDENTITY)]
        yield [left, right], targets


def base_network(shape):
    inp = Input(shape)
    x = layers.Conv2D(8, 3, activation='relu')(inp)
    x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(16, 3, activation='relu')(x)
    x = layers.Flatten()(x)
    x = layers.Dense(24)(x)
    return Model(inp, x, name='embedding')


def euclidean_distance(vects):
    x, y = vects
    return ops.sqrt(ops.maximum(ops.sum(ops.square(x - y), axis=1, keepdims=True), 1e-7))


def contrastive_loss(y_true, y_pred, margin=1.0):
    y_true = ops.reshape(ops.cast(y_true, y_pred.dtype), (-1, 1))
    return ops.mean(y_true * ops.square(y_pred) + (1 - y_true) * ops.square(ops.maximum(margin - y_pred, 0)))


signatures = fake_signatures()
embedding = base_network((IMG, IMG, 1))
input_l = Input((IMG, IMG, 1))
input_r = Input((IMG, IMG, 1))
distance = layers.Lambda(euclidean_distance, output_shape=(1,))([embedding(input_l), embedding(input_r)])
siamese = Model([input_l, input_r], distance)
siamese.compile(loss=contrastive_loss, optimizer='rmsprop')
siamese.summary()

train_gen = generate_batch(signatures)
siamese.fit(train_gen, steps_per_epoch=8, epochs=2, verbose=2)

(l, r), t = next(generate_batch(signatures))
d = siamese.predict((l, r), verbose=0).ravel()
print('same %.3f  different %.3f' % (d[t == 1].mean(), d[t == 0].mean()))
