from collections.abc import Sequence

import flax.linen as nn
import jax.numpy as jnp


class DeepSets(nn.Module):
    phi: Sequence[int] = (48, 48)
    rho: Sequence[int] = (48,)
    n_classes: int = 4
    dropout: float = 0.1

    @nn.compact
    def __call__(self, x, *, train: bool):
        r = jnp.linalg.norm(x, axis=-1, keepdims=True)
        h = jnp.concatenate([x, r, r ** 2], axis=-1)
        for i, f in enumerate(self.phi):
            h = nn.gelu(nn.Dense(f, name=f"phi_{i}")(h))
        h = jnp.concatenate([h.mean(axis=1), h.max(axis=1), h.std(axis=1)], axis=-1)
        h = nn.LayerNorm()(h)
        for i, f in enumerate(self.rho):
            h = nn.gelu(nn.Dense(f, name=f"rho_{i}")(h))
            h = nn.Dropout(self.dropout, deterministic=not train)(h)
        return nn.Dense(self.n_classes, name="logits")(h)
