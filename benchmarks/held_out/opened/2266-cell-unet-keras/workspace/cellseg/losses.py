import keras
from keras import ops


def dice(y_true, y_pred, eps=1.0):
    axes = (1, 2, 3)
    inter = ops.sum(y_true * y_pred, axis=axes)
    return (2 * inter + eps) / (ops.sum(y_true, axis=axes) + ops.sum(y_pred, axis=axes) + eps)


def bce_dice(y_true, y_pred):
    bce = ops.mean(keras.losses.binary_crossentropy(y_true, y_pred), axis=(1, 2))
    return bce + 1 - dice(y_true, y_pred)
