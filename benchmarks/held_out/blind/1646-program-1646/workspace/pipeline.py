import tensorflow as tf

SIZE = 32


def _prepare(image, label):
    image = tf.image.resize(tf.cast(image, tf.float32) / 255.0, (SIZE, SIZE))
    return image, label


def _augment(image, label):
    image = tf.image.random_brightness(image, 0.15)
    image = tf.image.random_contrast(image, 0.8, 1.2)
    image = tf.image.random_crop(tf.pad(image, [[2, 2], [2, 2], [0, 0]]), (SIZE, SIZE, 3))
    return tf.clip_by_value(image, 0.0, 1.0), label


def to_dataset(images, labels, training, batch_size=32):
    ds = tf.data.Dataset.from_tensor_slices((images, labels))
    ds = ds.map(_prepare, num_parallel_calls=1)
    if training:
        ds = ds.cache().shuffle(len(labels)).map(_augment, num_parallel_calls=1)
    return ds.batch(batch_size).prefetch(1)
