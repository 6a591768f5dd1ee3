import flax.linen as nn
import jax.numpy as jnp


class Block(nn.Module):
    dim: int
    heads: int
    dropout: float

    @nn.compact
    def __call__(self, x, mask, train):
        h = nn.LayerNorm()(x)
        h = nn.MultiHeadDotProductAttention(self.heads, dropout_rate=self.dropout,
                                            deterministic=not train)(h, h, mask=mask)
        x = x + h
        h = nn.LayerNorm()(x)
        h = nn.Dense(self.dim)(nn.gelu(nn.Dense(2 * self.dim)(h)))
        return x + nn.Dropout(self.dropout, deterministic=not train)(h)


class NextItem(nn.Module):
    n_tokens: int
    max_len: int
    dim: int
    heads: int
    blocks: int
    dropout: float

    @nn.compact
    def __call__(self, ids, train=False):
        table = nn.Embed(self.n_tokens, self.dim, name="items")
        pos = self.param("pos", nn.initializers.normal(0.02), (self.max_len, self.dim))
        x = table(ids) + pos
        mask = nn.combine_masks(nn.make_causal_mask(ids), nn.make_attention_mask(ids >= 0, ids > 0))
        for _ in range(self.blocks):
            x = Block(self.dim, self.heads, self.dropout)(x, mask, train)
        return table.attend(nn.LayerNorm()(x))
