import numpy as np
import tensorflow as tf

FRAME, STEP = 128, 64


def cut(signal, length, hop):
    """Overlapping segments of one recording."""
    return [signal[s:s + length] for s in range(0, len(signal) - hop, hop)]


def segment_generator(recordings, length, hop):
    for signal, label in recordings:
        for seg in cut(signal, length, hop):
            peak = np.abs(seg).max()
            yield seg / max(peak, 1e-6), label


def log_spectrogram(wave, label):
    spec = tf.abs(tf.signal.stft(wave, FRAME, STEP))
    return tf.math.log1p(spec)[..., tf.newaxis], label


def make_dataset(recordings, params, shuffle=False):
    length = int(params["segment_seconds"] * params["sample_rate"])
    hop = int(params["hop_seconds"] * params["sample_rate"])
    ds = tf.data.Dataset.from_generator(
        lambda: segment_generator(recordings, length, hop),
        output_signature=(
            tf.TensorSpec((None,), tf.float32),
            tf.TensorSpec((), tf.int32),
        ),
    )
    ds = ds.map(log_spectrogram).cache()
    if shuffle:
        ds = ds.shuffle(512, seed=1)
    bins = FRAME // 2 + 1
    frames = 1 + (length - FRAME) // STEP
    return ds.batch(params["batch_size"]).prefetch(1), (frames, bins, 1)
