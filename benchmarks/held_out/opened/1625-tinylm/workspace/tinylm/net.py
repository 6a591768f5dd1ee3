import flax.linen as nn
import jax.numpy as jnp


class Block(nn.Module):
    heads: int
    dropout: float

    @nn.compact
    def __call__(self, x, mask, train):
        h = nn.LayerNorm()(x)
        x = x + nn.MultiHeadDotProductAttention(self.heads)(h, h, mask=mask)
        h = nn.Dense(4 * x.shape[-1])(nn.LayerNorm()(x))
        h = nn.Dense(x.shape[-1])(nn.gelu(h))
        return x + nn.Dropout(self.dropout, deterministic=not train)(h)


class TinyLM(nn.Module):
    vocab: int
    seq_len: int
    dim: int
    heads: int
    depth: int
    dropout: float

    @nn.compact
    def __call__(self, ids, train=False):
        pos = jnp.arange(ids.shape[1])
        x = nn.Embed(self.vocab, self.dim)(ids)
        x = x + nn.Embed(self.seq_len, self.dim)(pos)
        mask = nn.make_causal_mask(ids)
        for _ in range(self.depth):
            x = Block(self.heads, self.dropout)(x, mask, train)
        return nn.Dense(self.vocab)(nn.LayerNorm()(x))
