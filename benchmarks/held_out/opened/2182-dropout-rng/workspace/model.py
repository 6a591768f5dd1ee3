import flax.linen as nn
import jax.numpy as jnp


class EncoderBlock(nn.Module):
    dim: int
    heads: int
    dropout: float

    @nn.compact
    def __call__(self, x, train: bool):
        h = nn.LayerNorm()(x)
        h = nn.SelfAttention(num_heads=self.heads, qkv_features=self.dim, deterministic=not train)(h)
        x = x + nn.Dropout(self.dropout, deterministic=not train)(h)
        h = nn.LayerNorm()(x)
        h = nn.Dense(self.dim)(nn.gelu(nn.Dense(2 * self.dim)(h)))
        return x + nn.Dropout(self.dropout, deterministic=not train)(h)


class Reverser(nn.Module):
    """Predicts the reversed input, position by position."""

    n_symbols: int
    length: int
    dim: int
    heads: int
    layers: int
    dropout: float

    @nn.compact
    def __call__(self, tokens, train: bool = False):
        pos = self.param("pos", nn.initializers.normal(0.02), (self.length, self.dim))
        x = nn.Embed(self.n_symbols, self.dim)(tokens) + pos
        for _ in range(self.layers):
            x = EncoderBlock(self.dim, self.heads, self.dropout)(x, train)
        return nn.Dense(self.n_symbols)(nn.LayerNorm()(x))
