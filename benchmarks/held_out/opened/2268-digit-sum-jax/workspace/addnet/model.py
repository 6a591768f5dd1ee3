import flax.linen as nn
import jax.numpy as jnp

from .task import VOCAB


class Block(nn.Module):
    n_heads: int
    d_ff: int

    @nn.compact
    def __call__(self, x):
        h = nn.LayerNorm()(x)
        x = x + nn.MultiHeadDotProductAttention(num_heads=self.n_heads)(h, h)
        h = nn.Dense(self.d_ff)(nn.LayerNorm()(x))
        return x + nn.Dense(x.shape[-1])(nn.gelu(h))


class AddTransformer(nn.Module):
    out_len: int
    d_model: int
    n_heads: int
    n_layers: int
    d_ff: int

    @nn.compact
    def __call__(self, tokens):
        batch, length = tokens.shape
        x = nn.Embed(VOCAB, self.d_model)(tokens)
        pos = self.param("pos", nn.initializers.normal(0.02), (length + self.out_len, self.d_model))
        query = jnp.zeros((batch, self.out_len, self.d_model))
        x = jnp.concatenate([x, query], axis=1) + pos
        for _ in range(self.n_layers):
            x = Block(self.n_heads, self.d_ff)(x)
        return nn.Dense(10)(nn.LayerNorm()(x[:, -self.out_len :]))
