import keras
from keras import layers


def residual(x, filters, stride):
    y = layers.Conv2D(filters, 3, strides=stride, padding="same", use_bias=False)(x)
    y = layers.BatchNormalization()(y)
    y = layers.ReLU()(y)
    y = layers.Conv2D(filters, 3, padding="same", use_bias=False)(y)
    y = layers.BatchNormalization()(y)
    if stride != 1 or x.shape[-1] != filters:
        x = layers.Conv2D(filters, 1, strides=stride)(x)
    return layers.ReLU()(layers.Add()([x, y]))


def build(size, n_classes, filters=(16, 32)):
    inputs = keras.Input((size, size, 3))
    x = layers.Conv2D(filters[0], 3, padding="same")(inputs)
    for f in filters:
        x = residual(x, f, stride=2)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dropout(0.2)(x)
    return keras.Model(inputs, layers.Dense(n_classes)(x), name="signs")
