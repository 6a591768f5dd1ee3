import keras
from keras import layers

from .layers import Bottleneck, FourierTime


def build(points=64, codes=4, width=12):
    inp = keras.Input((points, 1))
    h = FourierTime(2)(inp)
    h = layers.Conv1D(width, 5, padding="same", activation="gelu")(h)
    h = layers.AveragePooling1D(4)(h)
    h = Bottleneck(codes, l1=1e-4)(h)
    h = layers.UpSampling1D(4)(h)
    h = layers.Conv1D(width, 5, padding="same", activation="gelu")(h)
    out = layers.Conv1D(1, 3, padding="same")(h)
    return keras.Model(inp, out, name="kiln_ae")
