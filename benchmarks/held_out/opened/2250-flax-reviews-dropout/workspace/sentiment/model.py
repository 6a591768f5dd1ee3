import flax.linen as nn
import jax.numpy as jnp


class EncoderLayer(nn.Module):
    heads: int
    mlp: int
    dropout: float

    @nn.compact
    def __call__(self, x, mask, train):
        h = nn.LayerNorm()(x)
        h = nn.MultiHeadDotProductAttention(num_heads=self.heads)(h, h, mask=mask)
        x = x + nn.Dropout(self.dropout)(h, deterministic=not train)
        h = nn.LayerNorm()(x)
        h = nn.Dense(x.shape[-1])(nn.gelu(nn.Dense(self.mlp)(h)))
        return x + nn.Dropout(self.dropout)(h, deterministic=not train)


class Classifier(nn.Module):
    vocab: int
    embed: int
    heads: int
    mlp: int
    layers: int
    dropout: float

    @nn.compact
    def __call__(self, ids, train=False):
        keep = ids > 0
        x = nn.Embed(self.vocab, self.embed)(ids)
        x = x + self.param("pos", nn.initializers.normal(0.02), (ids.shape[1], self.embed))
        mask = nn.make_attention_mask(keep, keep)
        for _ in range(self.layers):
            x = EncoderLayer(self.heads, self.mlp, self.dropout)(x, mask, train)
        pooled = (x * keep[..., None]).sum(1) / keep.sum(1, keepdims=True)
        return nn.Dense(2)(nn.LayerNorm()(pooled))
