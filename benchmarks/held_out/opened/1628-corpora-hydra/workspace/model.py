import flax.linen as nn
import jax.numpy as jnp


class BagClassifier(nn.Module):
    vocab_size: int
    dim: int
    hidden: int
    dropout: float
    classes: int = 2

    @nn.compact
    def __call__(self, ids, train=False):
        keep = (ids > 0)[..., None]
        x = nn.Embed(self.vocab_size, self.dim)(ids) * keep
        x = x.sum(1) / jnp.maximum(keep.sum(1), 1)
        x = nn.relu(nn.Dense(self.hidden)(x))
        x = nn.Dropout(self.dropout, deterministic=not train)(x)
        return nn.Dense(self.classes)(x)
