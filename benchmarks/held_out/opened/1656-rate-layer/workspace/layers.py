import keras
import numpy as np
from keras import ops


def mel_filterbank(n_mels, n_bins, sample_rate):
    def to_mel(f):
        return 2595.0 * np.log10(1.0 + f / 700.0)

    def to_hz(m):
        return 700.0 * (10.0 ** (m / 2595.0) - 1.0)

    edges = to_hz(np.linspace(to_mel(40.0), to_mel(sample_rate / 2), n_mels + 2))
    freqs = np.linspace(0, sample_rate / 2, n_bins)
    bank = np.zeros((n_bins, n_mels), "float32")
    for m in range(n_mels):
        lo, mid, hi = edges[m : m + 3]
        bank[:, m] = np.clip(np.minimum((freqs - lo) / (mid - lo), (hi - freqs) / (hi - mid)), 0, None)
    return bank


@keras.saving.register_keras_serializable(package="audio")
class LogMel(keras.layers.Layer):
    def __init__(self, sample_rate, n_mels, frame_length=256, frame_step=80, **kwargs):
        super().__init__(**kwargs)
        self.sample_rate = sample_rate
        self.n_mels = n_mels
        self.frame_length = frame_length
        self.frame_step = frame_step
        self.bank = mel_filterbank(n_mels, frame_length // 2 + 1, sample_rate)

    def call(self, x):
        real, imag = ops.stft(x, self.frame_length, self.frame_step, self.frame_length, center=False)
        power = ops.square(real) + ops.square(imag)
        return ops.log(ops.matmul(power, self.bank) + 1e-6)

    def get_config(self):
        config = super().get_config()
        config.update({"frame_length": self.frame_length, "frame_step": self.frame_step, "n_mels": self.n_mels})
        return config


@keras.saving.register_keras_serializable(package="audio")
class AttentionPool(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.hidden = keras.layers.Dense(units, activation="tanh")
        self.score = keras.layers.Dense(1)

    def build(self, input_shape):
        self.hidden.build(input_shape)
        self.score.build((*input_shape[:-1], self.units))
        super().build(input_shape)

    def call(self, x):
        weights = ops.softmax(self.score(self.hidden(x)), axis=1)
        return ops.sum(weights * x, axis=1)

    def get_config(self):
        return {**super().get_config(), "units": self.units}
