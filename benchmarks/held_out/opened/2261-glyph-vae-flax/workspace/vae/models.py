import flax.linen as nn
import jax
import jax.numpy as jnp


class Encoder(nn.Module):
    hidden: int
    latents: int

    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.relu(nn.Dense(self.hidden)(x))
        x = nn.Dropout(0.1, deterministic=not train)(x)
        return nn.Dense(self.latents, name="mean")(x), nn.Dense(self.latents, name="logvar")(x)


class Decoder(nn.Module):
    hidden: int
    out: int

    @nn.compact
    def __call__(self, z):
        z = nn.relu(nn.Dense(self.hidden)(z))
        return nn.Dense(self.out)(z)


class VAE(nn.Module):
    hidden: int
    latents: int
    out: int

    def setup(self):
        self.encoder = Encoder(self.hidden, self.latents)
        self.decoder = Decoder(self.hidden, self.out)

    def __call__(self, x, train: bool = True):
        mean, logvar = self.encoder(x, train)
        eps = jax.random.normal(self.make_rng("latent"), mean.shape)
        z = mean + eps * jnp.exp(0.5 * logvar)
        return self.decoder(z), mean, logvar

    def generate(self, z):
        return nn.sigmoid(self.decoder(z))
