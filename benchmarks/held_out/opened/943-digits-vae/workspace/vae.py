import tensorflow as tf
from tensorflow.keras import layers


class Encoder(tf.keras.Model):
    def __init__(self, latent):
        super().__init__()
        self.hidden = layers.Dense(48, activation="relu")
        self.mean = layers.Dense(latent)
        self.scale = layers.Dense(latent, activation="softplus")

    def call(self, x):
        h = self.hidden(x)
        return self.mean(h), self.scale(h) + 1e-5


class Decoder(tf.keras.Model):
    def __init__(self, n_out):
        super().__init__()
        self.hidden = layers.Dense(48, activation="relu")
        self.logits = layers.Dense(n_out)

    def call(self, z):
        return self.logits(self.hidden(z))


class VAE(tf.keras.Model):
    def __init__(self, n_features, latent=4):
        super().__init__()
        self.latent = latent
        self.encoder = Encoder(latent)
        self.decoder = Decoder(n_features)

    def sample_posterior(self, mean, std):
        eps = tf.random.normal(tf.shape(mean))
        return mean + std * eps

    def elbo_terms(self, x):
        mean, std = self.encoder(x)
        z = self.sample_posterior(mean, std)
        logits = self.decoder(z)
        rec = tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits)
        rec = tf.reduce_sum(rec, axis=1)
        kl = 0.5 * tf.reduce_sum(
            tf.square(mean) + tf.square(std) - 2.0 * tf.math.log(std) - 1.0, axis=1
        )
        return tf.reduce_mean(rec), tf.reduce_mean(kl)

    def generate(self, n):
        return tf.sigmoid(self.decoder(tf.random.normal((n, self.latent))))
