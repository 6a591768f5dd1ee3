import keras
import tensorflow as tf
from keras import layers


class Lookup(layers.Layer):
    """String -> embedding."""

    def __init__(self, vocabulary, dim, **kw):
        super().__init__(**kw)
        self.index = layers.StringLookup(vocabulary=list(vocabulary))
        self.table = layers.Embedding(len(vocabulary), dim, embeddings_regularizer=keras.regularizers.L2(1e-5))

    def call(self, x):
        return self.table(self.index(x))


class ListenerTower(keras.Model):
    def __init__(self, listeners, devices, dim):
        super().__init__()
        self.who = Lookup(listeners, dim)
        self.device = Lookup(devices, 4)
        self.hour = layers.Discretization(bin_boundaries=[9, 12, 17, 21], output_mode="one_hot")
        self.mix = keras.Sequential([layers.Dense(2 * dim, activation="gelu"), layers.Dense(dim)])

    def call(self, batch):
        parts = [self.who(batch["listener"]), self.device(batch["device"]), tf.cast(self.hour(batch["hour"]), tf.float32)]
        return tf.math.l2_normalize(self.mix(tf.concat(parts, axis=-1)), axis=-1)


class ShowTower(keras.Model):
    def __init__(self, shows, topics, lengths, dim):
        super().__init__()
        self.show = Lookup(shows, dim)
        self.topic = Lookup(topics, 8)
        self.length = Lookup(lengths, 4)
        self.mix = keras.Sequential([layers.Dense(2 * dim, activation="gelu"), layers.Dense(dim)])

    def call(self, batch):
        parts = [self.show(batch["show"]), self.topic(batch["topic"]), self.length(batch["length"])]
        return tf.math.l2_normalize(self.mix(tf.concat(parts, axis=-1)), axis=-1)


class Retrieval(keras.Model):
    """In-batch sampled softmax with a log-frequency correction."""

    def __init__(self, listener_tower, show_tower, log_freq, temperature=0.1):
        super().__init__()
        self.listener_tower, self.show_tower = listener_tower, show_tower
        self.log_freq, self.temperature = log_freq, temperature
        self.tracker = keras.metrics.Mean(name="loss")

    @property
    def metrics(self):
        return [self.tracker]

    def call(self, batch):
        return self.listener_tower(batch), self.show_tower(batch)

    def train_step(self, batch):
        with tf.GradientTape() as tape:
            u, s = self(batch)
            logits = tf.matmul(u, s, transpose_b=True) / self.temperature - self.log_freq.lookup(batch["show"])[None, :]
            same = tf.equal(batch["show"][:, None], batch["show"][None, :])
            eye = tf.eye(tf.shape(u)[0], dtype=tf.bool)
            logits = tf.where(tf.logical_and(same, tf.logical_not(eye)), -1e9, logits)
            labels = tf.range(tf.shape(u)[0])
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
            total = loss + tf.add_n(self.losses)
        self.optimizer.apply(tape.gradient(total, self.trainable_variables), self.trainable_variables)
        self.tracker.update_state(loss)
        return {"loss": self.tracker.result()}
