import tensorflow as tf


def _flip(image, mask):
    both = tf.concat([image, mask], axis=-1)
    both = tf.image.random_flip_left_right(both)
    both = tf.image.random_flip_up_down(both)
    return both[..., :1], both[..., 1:]


def datasets(images, masks, batch_size, val_split):
    n_val = int(len(images) * val_split)
    train = tf.data.Dataset.from_tensor_slices((images[n_val:], masks[n_val:]))
    val = tf.data.Dataset.from_tensor_slices((images[:n_val], masks[:n_val]))
    train = train.shuffle(256).map(_flip, num_parallel_calls=1).batch(batch_size).prefetch(1)
    return train, val.batch(batch_size)
