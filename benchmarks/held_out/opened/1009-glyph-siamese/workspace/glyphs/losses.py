import tensorflow as tf


def contrastive_loss(same, dist, margin):
    pull = same * tf.square(dist)
    push = (1.0 - same) * tf.square(tf.maximum(margin - dist, 0.0))
    return tf.reduce_mean(pull + push)


def pair_accuracy(same, dist, margin):
    predicted = tf.cast(dist < margin / 2, same.dtype)
    return tf.reduce_mean(tf.cast(tf.equal(predicted, same), tf.float32))
