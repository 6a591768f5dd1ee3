import keras
from keras import layers


def conv_block(x, filters, dropout):
    for _ in range(2):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization()(x)
        x = layers.Activation("relu")(x)
    return layers.SpatialDropout2D(dropout)(x) if dropout else x


def build_unet(image_size, base_filters, depth, dropout=0.0):
    inputs = keras.Input((image_size, image_size, 1))
    x, skips = inputs, []
    for level in range(depth):
        x = conv_block(x, base_filters * 2**level, dropout)
        skips.append(x)
        x = layers.MaxPooling2D(2)(x)
    x = conv_block(x, base_filters * 2**depth, dropout)
    for level in reversed(range(depth)):
        x = layers.Conv2DTranspose(base_filters * 2**level, 2, strides=2)(x)
        x = layers.Concatenate()([x, skips[level]])
        x = conv_block(x, base_filters * 2**level, 0.0)
    outputs = layers.Conv2D(1, 1, activation="sigmoid")(x)
    return keras.Model(inputs, outputs, name="unet")
