# small ResNet for CIFAR-like images, random data to see whether it trains
import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(0)
NUM_CLASSES = 5
IMG = (32, 32, 3)


def conv_bn(x, filters, kernel=3, stride=1, act=True):
    x = layers.Conv2D(filters, kernel, strides=stride, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    return layers.Activation("relu")(x) if act else x


def res_block(x, filters, stride=1):
    shortcut = x
    y = conv_bn(x, filters, stride=stride)
    y = conv_bn(y, filters, act=False)
    if stride != 1 or x.shape[-1] != filters:
        shortcut = layers.Conv2D(filters, 1, use_bias=False)(x)
        shortcut = layers.BatchNormalization()(shortcut)
    y = layers.Add()([shortcut, y])
    return layers.Activation("relu")(y)


def build_resnet(filters=(8, 16, 32), blocks=1):
    inputs = keras.Input(shape=IMG)
    x = conv_bn(inputs, filters[0])
    for i, f in enumerate(filters):
        for b in range(blocks):
            stride = 2 if i > 0 and b == 0 else 1
            x = res_block(x, f, stride)
    x = layers.GlobalAveragePooling2D()(x)
    outputs = layers.Dense(NUM_CLASSES, activation="softmax")(x)
    return keras.Model(inputs, outputs, name="mini_resnet")


model = build_resnet()
print("params:", model.count_params())

x = np.random.rand(60, *IMG).astype("float32")
y = np.random.randint(0, NUM_CLASSES, 60)
model.compile(optimizer="sgd", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(x, y, epochs=1, batch_size=20, verbose=2)
print(model.predict(x[:2], verbose=0).round(2))
