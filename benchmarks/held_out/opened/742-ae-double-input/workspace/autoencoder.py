import tensorflow as tf


class AutoEncoder(tf.Module):
    def __init__(self, window, hidden, latent):
        super().__init__()
        sizes = [window, hidden, latent, hidden, window]
        init = tf.keras.initializers.GlorotUniform(seed=0)
        self.ws = [tf.Variable(init((a, b))) for a, b in zip(sizes[:-1], sizes[1:])]
        self.bs = [tf.Variable(tf.zeros(b)) for b in sizes[1:]]

    def __call__(self, x):
        last = len(self.ws) - 1
        for i, (w, b) in enumerate(zip(self.ws, self.bs)):
            x = x @ w + b
            if i != last:
                x = tf.tanh(x)
        return x

    def errors(self, x):
        return tf.reduce_mean((self(x) - x) ** 2, axis=1)
