import tensorflow as tf

from melody import corpus

SEQ_LEN = 32


def split_xy(seq):
    """Input and the same sequence shifted by one step."""
    return seq[:-1], seq[1:]


def transpose_randomly(seq):
    """Data augmentation: move all pitches by the same interval."""
    shift = tf.random.uniform([], -3, 4, dtype=tf.int32)
    moved = tf.clip_by_value(seq + shift, 0, 23)
    return tf.where(seq < 24, moved, seq)


def make_dataset(n, seed, batch_size, training):
    ds = tf.data.Dataset.from_tensor_slices(corpus(n, SEQ_LEN + 1, seed))
    if training:
        ds = ds.shuffle(n, seed=seed)
        ds = ds.map(transpose_randomly, num_parallel_calls=1)
    ds = ds.batch(batch_size, drop_remainder=True)
    ds = ds.map(split_xy, num_parallel_calls=1)
    return ds.prefetch(1)
