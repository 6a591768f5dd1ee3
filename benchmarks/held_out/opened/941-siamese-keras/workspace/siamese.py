import keras
from keras import layers, ops


def build_encoder(input_shape, dim):
    inputs = keras.Input(input_shape)
    x = layers.Conv2D(16, 3, padding="same", activation="relu")(inputs)
    x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(32, 3, padding="same", activation="relu")(x)
    x = layers.GlobalAveragePooling2D()(x)
    outputs = layers.Dense(dim)(x)
    return keras.Model(inputs, outputs, name="encoder")


class EuclideanDistance(layers.Layer):
    def call(self, a, b):
        d2 = ops.sum(ops.square(a - b), axis=-1, keepdims=True)
        return ops.sqrt(ops.maximum(d2, 1e-7))


def contrastive_loss(margin=1.0):
    def loss(y_true, y_pred):
        y_true = ops.cast(ops.reshape(y_true, (-1, 1)), y_pred.dtype)
        near = y_true * ops.square(y_pred)
        far = (1.0 - y_true) * ops.square(ops.maximum(margin - y_pred, 0.0))
        return ops.mean(near + far)

    return loss


def build_siamese(input_shape=(8, 8, 1), dim=16):
    encoder = build_encoder(input_shape, dim)
    left = keras.Input(input_shape, name="left")
    right = keras.Input(input_shape, name="right")
    distance = EuclideanDistance()(encoder(left), encoder(right))
    return keras.Model([left, right], distance), encoder
