import flax.linen as nn
import jax
import jax.numpy as jnp


class WordDropout(nn.Module):
    """Replaces whole tokens by <unk> while training."""
    rate: float
    unk_id: int = 1

    @nn.compact
    def __call__(self, tokens, train):
        if not train or self.rate == 0.0:
            return tokens
        drop = jax.random.bernoulli(self.make_rng("dropout"), self.rate, tokens.shape)
        return jnp.where(drop & (tokens > 0), self.unk_id, tokens)


class ConvTagger(nn.Module):
    vocab_size: int
    n_tags: int
    dim: int = 24
    width: int = 3
    word_dropout: float = 0.05
    dropout: float = 0.1

    @nn.compact
    def __call__(self, tokens, train):
        tokens = WordDropout(self.word_dropout)(tokens, train)
        x = nn.Embed(self.vocab_size, self.dim)(tokens)
        for _ in range(2):
            h = nn.relu(nn.Conv(self.dim, (self.width,))(x))
            x = nn.LayerNorm()(x + h)
        x = nn.Dropout(self.dropout, deterministic=not train)(x)
        return nn.Dense(self.n_tags)(x)
