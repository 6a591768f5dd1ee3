import tensorflow as tf
from tensorflow.keras import layers


def build_encoder(side, filters, embedding_dim):
    inp = layers.Input((side, side, 1))
    h = inp
    for f in filters:
        h = layers.Conv2D(f, 3, padding="same", activation="relu")(h)
        h = layers.MaxPooling2D()(h)
    h = layers.Flatten()(h)
    h = layers.Dense(64, activation="relu")(h)
    out = layers.Dense(embedding_dim)(h)
    return tf.keras.Model(inp, out, name="encoder")


def pair_distance(encoder, a, b, training=False):
    """Euclidean distance of every pair in the batch."""
    ea = encoder(a, training=training)
    eb = encoder(b, training=training)
    sq = tf.reduce_sum(tf.square(ea - eb), axis=-1)
    return tf.sqrt(tf.maximum(sq, 1e-8))
