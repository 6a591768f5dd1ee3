import tensorflow as tf


class TicketNet(tf.keras.Model):
    def __init__(self, vocab_size, embedding, n_classes):
        super().__init__()
        self.embed = tf.keras.layers.Embedding(vocab_size, embedding)
        self.gru = tf.keras.layers.Bidirectional(tf.keras.layers.GRU(12))
        self.out = tf.keras.layers.Dense(n_classes)

    def call(self, tokens, training=False):
        x = self.embed(tokens)
        x = self.gru(x)
        return self.out(x)
