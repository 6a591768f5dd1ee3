import jax
import jax.numpy as jnp
from flax import linen as nn


class Encoder(nn.Module):
    latents: int
    hidden: int

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(self.hidden, name="fc1")(x))
        mean = nn.Dense(self.latents, name="fc2_mean")(x)
        logvar = nn.Dense(self.latents, name="fc2_logvar")(x)
        return mean, logvar


class Decoder(nn.Module):
    hidden: int
    image_dim: int

    @nn.compact
    def __call__(self, z):
        z = nn.relu(nn.Dense(self.hidden, name="fc1")(z))
        return nn.Dense(self.image_dim, name="fc2")(z)


def reparameterize(rng, mean, logvar):
    std = jnp.exp(0.5 * logvar)
    return mean + std * jax.random.normal(rng, logvar.shape)


class VAE(nn.Module):
    latents: int
    hidden: int
    image_dim: int

    def setup(self):
        self.encoder = Encoder(self.latents, self.hidden)
        self.decoder = Decoder(self.hidden, self.image_dim)

    def __call__(self, x, z_rng):
        mean, logvar = self.encoder(x)
        z = reparameterize(z_rng, mean, logvar)
        return self.decoder(z), mean, logvar

    def generate(self, z):
        return nn.sigmoid(self.decoder(z))
