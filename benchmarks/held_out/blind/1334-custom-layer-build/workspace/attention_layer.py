import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Layer, Input, LSTM, Dense, Bidirectional
from tensorflow.keras.models import Model


class Attention(Layer):
    def __init__(self, units=10, **kwargs):
        super(Attention, self).__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        self.W = self.add_weight(name='att_weight', shape=(input_shape[1], self.units),
                                 initializer='glorot_uniform', trainable=True)
        self.b = self.add_weight(name='att_bias', shape=(self.units,), initializer='zeros')
        self.u = self.add_weight(name='att_u', shape=(self.units, 1), initializer='glorot_uniform')
        super(Attention, self).build(input_shape)

    def call(self, x):
        et = tf.tanh(tf.matmul(x, self.W) + self.b)
        at = tf.nn.softmax(tf.matmul(et, self.u), axis=1)
        return tf.reduce_sum(x * at, axis=1)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])


x_in = Input(shape=(15, 5))
h = Bidirectional(LSTM(16, return_sequences=True))(x_in)
h = Attention(12, name='attention')(h)
out = Dense(3, activation='softmax')(h)
model = Model(x_in, out)
model.compile(loss='sparse_categorical_crossentropy', optimizer='adam')

X = np.random.rand(40, 15, 5)
Y = np.random.randint(0, 3, size=(40,))
model.fit(X, Y, epochs=1, verbose=2)
