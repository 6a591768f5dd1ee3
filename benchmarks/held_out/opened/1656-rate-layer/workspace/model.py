import keras

from layers import AttentionPool, LogMel


def build_model(clip_length, num_classes, sample_rate, n_mels=24):
    inputs = keras.Input((clip_length,), name="waveform")
    x = LogMel(sample_rate, n_mels, name="logmel")(inputs)
    x = keras.layers.LayerNormalization()(x)
    x = keras.layers.Conv1D(32, 5, activation="relu", padding="same")(x)
    x = keras.layers.MaxPooling1D(2)(x)
    x = AttentionPool(16, name="pool")(x)
    x = keras.layers.Dropout(0.2)(x)
    outputs = keras.layers.Dense(num_classes, activation="softmax")(x)
    return keras.Model(inputs, outputs, name="word_net")
